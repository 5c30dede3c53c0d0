import { type KindName, kinds, objectKey } from '../../gateway-api/index.ts';
import type { GraphView } from '../../graph/index.ts';
import type { RouteObject } from '../routes/route-record.ts';

interface BackendRef {
  readonly group?: string;
  readonly kind?: string;
  readonly namespace?: string;
  readonly name: string;
  readonly port?: number;
  readonly weight?: number;
}

interface Rule {
  readonly name?: string;
  readonly backendRefs?: readonly BackendRef[];
  readonly filters?: readonly { readonly type: string }[];
}

/** What backends are looked up in. */
export interface LiveBackends {
  readonly graph: Pick<GraphView, 'find'>;
  /** Ports of Services that have a ready endpoint, `NAMESPACE/NAME/PORT`. */
  readonly ports: ReadonlySet<string>;
}

/** The ports of Services that routes use and that have a ready endpoint. */
export function livePorts(graph: Pick<GraphView, 'snapshot'>): ReadonlySet<string> {
  const live = new Set<string>();
  const { backends, endpoints } = graph.snapshot() ?? {};
  for (const { key, namespace, service, port } of backends?.values() ?? [])
    if (endpoints?.get(key)?.endpoints.some(({ health }) => health === 'ready'))
      live.add(`${namespace}/${service}/${port}`);
  return live;
}

/** Whether every rule of the route answers with an error, whatever the request is. */
export const answersNothing = (route: RouteObject, backends: LiveBackends): boolean =>
  rulesOf(route).length > 0 &&
  rulesOf(route).every((rule) => !answersItself(rule) && !asked(rule).some((ref) => mayAnswer(ref, route, backends)));

/** Rules that are valid and ask no backend: `rule 1 (old): all weights of its backendRefs are 0`. */
export const idleRules = (route: RouteObject): readonly string[] =>
  rulesOf(route).flatMap((rule, index) => {
    if (answersItself(rule) || asked(rule).length > 0) return [];
    const where = `rule ${index}${rule.name === undefined ? '' : ` (${rule.name})`}`;
    const hasNone = (rule.backendRefs ?? []).length === 0;
    return [`${where}: ${hasNone ? 'it has no backendRefs' : 'all weights of its backendRefs are 0'}`];
  });

const rulesOf = (route: RouteObject): readonly Rule[] => (route.spec.rules ?? []) as readonly Rule[];

/** Whether the proxy has an answer. A filter by ExtensionRef may be one; where it does not exist, a condition of the route says so. */
const answersItself = (rule: Rule): boolean =>
  (rule.filters ?? []).some(
    ({ type }) => type === 'RequestRedirect' || (type === 'ExtensionRef' && asked(rule).length === 0),
  );

const asked = ({ backendRefs = [] }: Rule): readonly BackendRef[] => backendRefs.filter(({ weight = 1 }) => weight > 0);

/** Of kinds other than Service only whether there is an object: they have no endpoints, or find them on their own. */
function mayAnswer(ref: BackendRef, route: RouteObject, { graph, ports }: LiveBackends): boolean {
  const { group = '', kind = 'Service', namespace = route.metadata.namespace, name, port } = ref;
  const key = objectKey(namespace, name);
  if (group === '' && kind === 'Service') return ports.has(`${key}/${port}`);
  const known = Object.values(kinds).find((each) => each.name === kind && each.group === group);
  return known !== undefined && graph.find(known.name as KindName, key) !== undefined;
}
