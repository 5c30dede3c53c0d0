import { type KubernetesObject, keyOf, kinds, objectKey } from '../../../gateway-api/index.ts';
import type { World } from '../../../ingress/index.ts';
import type { ResourceEvent } from '../../../sources/index.ts';

/**
 * The objects of converted files, with those of the world that they refer to and do not have: Services, Secrets and ConfigMaps stay where they are in
 * a move. Where nothing is known of Services, those that are referred to are taken to be there.
 */
export function withReferred(events: readonly ResourceEvent[], world: World): readonly ResourceEvent[] {
  const known = new Set(events.map(({ kind, object }) => `${kind.name} ${keyOf(object)}`));
  const services = world.unread.has('Service') ? referredServices(events) : [...world.services.values()];
  const all = [...services, ...world.secrets.values(), ...world.configMaps.values()];
  const missing = all.filter((object) => !known.has(`${object.kind} ${keyOf(object)}`));
  return [...events, ...missing.map((object) => ({ type: 'added', kind: kindOf(object), object }) as const)];
}

const kindOf = ({ kind }: KubernetesObject) => kinds[kind as 'Service' | 'Secret' | 'ConfigMap'];

interface Reference {
  readonly kind?: string;
  readonly name?: string;
  readonly namespace?: string;
  readonly port?: number;
}

/** A Service for each that some `backendRef` names, with the ports that are named. */
function referredServices(events: readonly ResourceEvent[]): KubernetesObject[] {
  const ports = new Map<string, Set<number>>();
  for (const { object } of events)
    for (const { kind = 'Service', name, port, namespace = object.metadata.namespace } of referencesIn(object.spec)) {
      if (kind !== 'Service' || name === undefined || port === undefined) continue;
      const key = objectKey(namespace, name);
      ports.set(key, (ports.get(key) ?? new Set()).add(port));
    }
  return [...ports].map(([key, numbers]) => {
    const [, namespace = '', name = ''] = /^(.*)\/(.*)$/.exec(key) ?? [];
    const list = [...numbers].map((port) => ({ name: `port-${port}`, port }));
    return { apiVersion: 'v1', kind: 'Service', metadata: { namespace, name }, spec: { ports: list } };
  });
}

function* referencesIn(value: unknown): Generator<Reference> {
  if (typeof value !== 'object' || value === null) return;
  for (const [key, each] of Object.entries(value)) {
    if (key === 'backendRef' || key === 'backendRefs') yield* [each].flat() as readonly Reference[];
    yield* referencesIn(each);
  }
}
