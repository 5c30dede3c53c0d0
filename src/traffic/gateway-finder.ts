import { objectKey } from '../gateway-api/index.ts';
import type { GraphView } from '../graph/index.ts';
import { parseRule } from './ownership.ts';
import type { Subject } from './subjects.ts';

/** The Gateway that a subject is of, as `NAMESPACE/NAME`; of proxies that several share, the one that the route is attached to. */
export function gatewayFinder(graph: GraphView): (subject: Pick<Subject, 'fleet' | 'route'>) => string {
  const fleets = new Map<string, readonly string[]>();
  return ({ fleet, route }) => {
    const gateways = fleets.get(fleet) ?? [...graph.gatewaysOf(fleet)];
    fleets.set(fleet, gateways);
    const [only] = gateways;
    if (gateways.length <= 1) return only ?? fleet;
    const attached = gateways.filter((gateway) => attachedTo(graph, route).has(gateway));
    return attached.length === 1 ? (attached[0] as string) : fleet;
  };
}

function attachedTo(graph: GraphView, rule: string): ReadonlySet<string> {
  const route = parseRule(rule);
  const status = route && graph.statusOf(route.kind, objectKey(route.namespace, route.name));
  if (route === undefined || status === undefined || !('parents' in status)) return new Set();
  return new Set(
    status.parents.flatMap(({ parentRef: { kind = 'Gateway', namespace = route.namespace, name } }) => {
      if (kind === 'Gateway') return [objectKey(namespace, name)];
      const parent = graph.find('ListenerSet', objectKey(namespace, name))?.spec.parentRef;
      return parent === undefined ? [] : [objectKey(parent.namespace ?? namespace, parent.name)];
    }),
  );
}
