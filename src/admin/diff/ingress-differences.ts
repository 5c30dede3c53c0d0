import { isDeepStrictEqual } from 'node:util';
import {
  type KindName,
  type KubernetesObject,
  keyOf,
  type ObjectByKind,
  type ObjectKey,
  parseObjectKey,
} from '../../gateway-api/index.ts';
import type { IngressFault, ServedIngress } from '../ingresses/served-ingress.ts';
import type { AdminSources } from '../sources.ts';
import type { IngressDifference } from './record.ts';

interface Tried {
  /** What Ingresses of classes of ours would become. */
  readonly served: ReadonlyMap<string, ServedIngress>;
  /** Those that are proposed. */
  readonly proposed: readonly KubernetesObject[];
  readonly find: (kind: KindName, key: string) => KubernetesObject | undefined;
}

/** What is wrong with Ingresses that are proposed, and with others if that would change. By their keys. */
export function ingressDifferences({ ingresses }: AdminSources, tried: Tried): readonly IngressDifference[] {
  const proposed = new Map<string, ObjectByKind['Ingress']>(
    tried.proposed.map((object) => [keyOf(object), object as ObjectByKind['Ingress']]),
  );
  const before = new Map(ingresses.entries());
  const keys = new Set([...proposed.keys(), ...before.keys(), ...tried.served.keys()]);
  return [...keys].sort().flatMap((key): readonly IngressDifference[] => {
    const own = proposed.get(key);
    const foreign = own && !tried.served.has(key) ? [foreignFault(own, tried)] : [];
    const sides = {
      before: (before.get(key)?.faults ?? []).map(shown),
      after: [...(tried.served.get(key)?.faults ?? []).map(shown), ...foreign],
    };
    const isSaid = own ? sides.before.length + sides.after.length > 0 : !isDeepStrictEqual(sides.before, sides.after);
    return isSaid ? [{ ...parseObjectKey(key as ObjectKey), ...sides }] : [];
  });
}

const shown = ({ reason, message }: IngressFault) => ({ reason, message });

/** Why an Ingress is not served here at all. */
function foreignFault({ metadata, spec }: ObjectByKind['Ingress'], { find }: Tried) {
  const name = spec.ingressClassName ?? metadata.annotations?.['kubernetes.io/ingress.class'];
  const message =
    name === undefined
      ? 'it names no class: set spec.ingressClassName'
      : find('IngressClass', name) === undefined
        ? `IngressClass ${name} does not exist`
        : `another controller has its class ${name}`;
  return { reason: 'NotOurs', message };
}
