import { apiVersionOf, closerAnnotation, type Kind, type KubernetesObject } from '../../../gateway-api/index.ts';
import { isRecord } from './schema.ts';

interface Wrong {
  readonly kind: Kind;
  readonly id: { readonly namespace: string | undefined; readonly name: string };
  readonly written: Readonly<Record<string, unknown>>;
  readonly why: string;
}

/** More than a policy may have, so that none is left out of one that has too many. */
const mostTargets = 256;

/**
 * What closes the targets of an object that is wrong, where its kind guards them: an API server would have kept such an object out, with the guard that
 * it had. Of the targets those count that are right. Undefined: there is none, or the kind guards nothing.
 */
export function closerFor(
  { kind, id, written, why }: Wrong,
  isValid: (object: KubernetesObject) => boolean,
): KubernetesObject | undefined {
  const { closingSpec } = kind;
  const { targetRefs } = isRecord(written.spec) ? written.spec : {};
  if (!closingSpec || !Array.isArray(targetRefs)) return undefined;
  const { creationTimestamp } = isRecord(written.metadata) ? written.metadata : {};
  const make = (refs: readonly unknown[]) =>
    ({
      apiVersion: apiVersionOf(kind),
      kind: kind.name,
      metadata: {
        name: id.name,
        ...(id.namespace !== undefined && { namespace: id.namespace }),
        ...(typeof creationTimestamp === 'string' && { creationTimestamp }),
        annotations: { [closerAnnotation]: why },
      },
      spec: { targetRefs: refs, ...closingSpec },
    }) as KubernetesObject;
  const good = targetRefs.slice(0, mostTargets).filter((ref) => isValid(make([ref])));
  return good.length > 0 ? make(good) : undefined;
}
