import { keyOf, type ObjectByKind, parseObjectKey } from '../../gateway-api/index.ts';
import type { GraphView } from '../../graph/index.ts';
import { nearestKey } from '../../std/index.ts';
import type { AdminSources } from '../sources.ts';
import type { Finding } from './problem.ts';

type Gateway = ObjectByKind['Gateway'];
type GatewayClass = ObjectByKind['GatewayClass'];

/** Before there is a snapshot, and while classes cannot be read, nothing is known to be missing. */
export function* ofClasses(
  sources: Pick<AdminSources, 'graph' | 'controllerName' | 'availability'>,
): Generator<Finding> {
  const { graph, availability } = sources;
  if (graph.snapshot() === undefined || !availability('GatewayClass').available) return;
  for (const gateway of graph.list('Gateway')) {
    const message = classFault(gateway, sources);
    if (message === undefined) continue;
    yield { code: 'gateway_class_unknown', object: { kind: 'Gateway', ...parseObjectKey(keyOf(gateway)) }, message };
  }
}

/** Why no controller serves the Gateway's class, as far as that can be known; undefined when one does. */
export function classFault(
  { spec: { gatewayClassName: name } }: Gateway,
  { graph, controllerName }: { readonly graph: Pick<GraphView, 'find' | 'list'>; readonly controllerName: string },
): string | undefined {
  const found = graph.find('GatewayClass', name);
  if (found === undefined) return `there is no GatewayClass ${JSON.stringify(name)}${nearest(name, graph)}`;
  const { controllerName: its } = found.spec;
  if (its === controllerName || isServed(found)) return undefined;
  const near = nearestKey(its, [controllerName]);
  const advice = near === undefined ? '' : `; did you mean ${near}?`;
  return `no controller has accepted GatewayClass ${name}, whose controllerName is ${its}${advice}`;
}

/** Its controller writes Accepted; what the API server wrote at first has reason Pending. */
const isServed = ({ status }: GatewayClass): boolean =>
  (status?.conditions ?? []).some(({ type, reason }) => type === 'Accepted' && reason !== 'Pending');

function nearest(name: string, graph: Pick<GraphView, 'list'>): string {
  const names = [...graph.list('GatewayClass')].map(({ metadata }) => metadata.name);
  const near = nearestKey(name, names);
  if (near !== undefined) return `; did you mean ${near}?`;
  return names.length === 0 ? ', nor any other' : `; there is ${names.slice(0, mostNamed).join(', ')}`;
}

const mostNamed = 5;
