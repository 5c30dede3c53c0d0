import { kindModules } from '../../controllers/index.ts';
import {
  type Condition,
  isRouteKind,
  type KindName,
  type KubernetesObject,
  keyOf,
  type ObjectByKind,
  type Status,
} from '../../gateway-api/index.ts';
import { Graph, type GraphView } from '../../graph/index.ts';

/** Kinds that decide who may attach where: there are few of them, and all are taken. */
const structure: readonly KindName[] = [
  'GatewayClass',
  'Gateway',
  'ListenerSet',
  'ReferenceGrant',
  'Namespace',
  'BackendPolicy',
  'BackendTLSPolicy',
  'ListenerPolicy',
];
/** Kinds that are only of account when something names them. */
const named: readonly KindName[] = ['Service', 'Secret', 'ConfigMap', 'XBackend', 'AIService', 'ClusterTrustBundle'];

/** What a proxy would have to say of it, or a cluster's load balancer, which no trial can know. */
const unknowable: ReadonlySet<string> = new Set(['Programmed']);

/**
 * What would become of objects beside what there is: a graph of their own settles them, with everything they could refer to. Other routes
 * are left out, which no object's own conditions depend on, but for streams, whose oldest route wins.
 */
export function tryObjects(
  present: GraphView,
  objects: readonly KubernetesObject[],
  { controllerName, now }: { readonly controllerName: string; readonly now: Date },
): readonly (readonly string[])[] {
  const trial = new Graph({
    controllerName,
    kinds: kindModules,
    hosts: present.hosts,
    bind: (_gateway, port) => ({ address: '127.0.0.1', port }),
  });
  const put = (object: KubernetesObject) =>
    trial.upsert(object.kind as KindName, object as ObjectByKind[KindName] as never);
  const isNamed = namesIn([...objects, ...present.list('Gateway'), ...present.list('ListenerSet')]);
  for (const kind of structure) for (const object of present.list(kind)) put(object);
  for (const kind of named) for (const object of present.list(kind)) if (isNamed(object.metadata.name)) put(object);
  for (const slice of present.list('EndpointSlice'))
    if (isNamed(slice.metadata.labels?.['kubernetes.io/service-name'] ?? '')) put(slice);
  for (const object of objects) put(object);
  trial.build(now);
  return objects.map((object) => faultsOf(object, trial.statusOf(object.kind as KindName, keyOf(object))));
}

/** Every text in the objects, for names of others are among them. */
function namesIn(objects: readonly unknown[]): (name: string) => boolean {
  const texts = new Set<string>();
  const todo: unknown[] = [...objects];
  while (todo.length > 0) {
    const value = todo.pop();
    if (typeof value === 'string') texts.add(value);
    else if (typeof value === 'object' && value !== null) todo.push(...Object.values(value));
  }
  return (name) => texts.has(name);
}

const noParent = 'none of its parentRefs is a Gateway of ours that exists';

/** Kinds without a status until something uses them. */
const ofLater: ReadonlySet<string> = new Set(['BackendPolicy', 'DataPlane']);

function faultsOf({ kind }: KubernetesObject, status: Status | undefined): string[] {
  // They work by being referred to, or by routes to what they are for; both may come later, and no trial has all routes.
  if (kind === 'ReferenceGrant' || (status === undefined && ofLater.has(kind))) return [];
  if (status === undefined && isRouteKind(kind)) return [noParent];
  if (status === undefined)
    return [`no controller of ours would look at this ${kind}: see its class, or what it is for`];
  switch (status.kind) {
    case 'GatewayClass':
    case 'DataPlane':
    case 'AIService':
    case 'TokenPolicy':
      return faults(status.conditions);
    case 'Gateway':
    case 'ListenerSet':
      return [
        ...faults(status.conditions),
        ...status.listeners.flatMap(({ name, conditions }) => faults(conditions, `listener ${name}: `)),
      ];
    case 'BackendPolicy':
    case 'BackendTLSPolicy':
    case 'ListenerPolicy':
    case 'XBackend':
    case 'XBackendTrafficPolicy':
      return status.ancestors.flatMap(({ conditions }) => faults(conditions));
    default:
      if (status.parents.length === 0) return [noParent];
      return status.parents.flatMap(({ parentRef, conditions }) => faults(conditions, `at ${parentRef.name}: `));
  }
}

const faults = (conditions: readonly Condition[], where = ''): string[] =>
  conditions
    .filter(
      ({ type, status }) =>
        !unknowable.has(type) && (type === 'Conflicted' ? status === 'True' : ownFault(type, status)),
    )
    .map(({ type, reason, message }) => `${where}${type} would be wrong: ${reason}: ${message}`);

/** Other types of conditions tell things, and find no fault. */
const ownFault = (type: string, status: string): boolean =>
  (type === 'Accepted' || type === 'ResolvedRefs') && status === 'False';
