import type { AccessPlace, GraphView, ListenerView } from '../../graph/index.ts';
import * as ir from '../../ir/index.ts';
import { requestLimitOf } from './entries.ts';
import type { RequestLimit } from './record.ts';

/**
 * What a request counts against, in the order in which it meets it: of the listener that it comes in by, and of the route that takes it. A
 * route may be attached to other listeners, whose buckets do not count it. Whether it matches a bucket is not looked at.
 *
 * @param forwards false: the proxy answers it by itself, and asks no other program
 */
export function requestLimits(
  graph: GraphView,
  { gateway, route, rule }: AccessPlace,
  listener: ListenerView | undefined,
  forwards: boolean,
): RequestLimit[] {
  const outside = graph.limitsAt({ gateway, ...(listener && { listener: declared(listener) }) });
  const inside = graph.limitsAt({ gateway, route, rule }).filter(({ level }) => level === 'route' || level === 'rule');
  const found = [...outside, ...inside].filter(({ value }) => value && (forwards || !(value.shared || value.service)));
  return ir.limitPhases.flatMap((phase) => found.filter((each) => each.phase === phase)).map(requestLimitOf);
}

/** As policies find it. Names of objects may have dots, and those of namespaces have none. */
function declared({ name, gateway, source, section }: ListenerView): NonNullable<AccessPlace['listener']> {
  if (source === 'Gateway') return { owner: { kind: source, ...gateway }, name: section };
  const set = name.slice(`${gateway.namespace}.${gateway.name}.`.length, -`.${section}`.length);
  const dot = set.indexOf('.');
  return { owner: { kind: source, namespace: set.slice(0, dot), name: set.slice(dot + 1) }, name: section };
}
