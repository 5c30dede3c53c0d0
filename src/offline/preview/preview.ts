import { kindModules } from '../../controllers/index.ts';
import type { HostRules } from '../../egress/index.ts';
import {
  type Condition,
  ingressOf,
  type KindName,
  type KubernetesObject,
  keyOf,
  kinds,
  kindsOfForm,
  type ObjectByKind,
  type ObjectKey,
  objectKey,
  type Status,
} from '../../gateway-api/index.ts';
import { Graph, type GraphView, type ListenerView, type TranslatorLimits, type UserCode } from '../../graph/index.ts';
import type { ObjectsToFill, ServedIngress } from '../../ingress/native/index.ts';
import { allChanges, type Snapshot } from '../../ir/index.ts';
import type { ResourceEvent } from '../../sources/index.ts';
import { type Steps, toEnd } from '../../std/steps/index.ts';
import { type EnvoyResource, Translator } from '../../translate/index.ts';

export interface PreviewOptions {
  readonly controllerName: string;
  readonly limits?: TranslatorLimits;
  readonly hosts?: HostRules;
  /** Code of users that proxies run. Default: none. */
  readonly userCode?: UserCode;
  readonly now: Date;
  /** Adds what Ingresses become; without it none is served. */
  readonly deriveIngresses?: DeriveIngresses | undefined;
}

/** Adds what the Ingresses among objects become, and gives what became of those of classes of ours, by their keys. */
export type DeriveIngresses = (objects: ObjectsToFill) => Steps<ReadonlyMap<ObjectKey, ServedIngress>>;

/** What is said of one object whose kind has a status. */
export interface ObjectStatus {
  readonly kind: KindName;
  readonly namespace: string;
  readonly name: string;
  /** Undefined for an object that is none of ours: no status would be written for it. */
  readonly status: Status | undefined;
}

/** What became of one Ingress. */
export interface PreviewedIngress {
  readonly namespace: string;
  readonly name: string;
  /** Undefined: its class is none of ours. */
  readonly served: ServedIngress | undefined;
  /** The class that it names, which is not among the objects. */
  readonly missingClass?: string;
  /** Of the routes that it became. */
  readonly statuses: readonly Status[];
}

/** What objects become. */
export interface Preview {
  readonly snapshot: Snapshot;
  /** What the snapshot is of. */
  readonly graph: GraphView;
  /** By kind, namespace and name. */
  readonly statuses: readonly ObjectStatus[];
  /** By namespace and name, where they are served. */
  readonly ingresses: readonly PreviewedIngress[];
  /** By ir.Gateway.key. */
  readonly envoy: readonly { readonly gateway: string; readonly resources: readonly EnvoyResource[] }[];
  /** Names of classes that Gateways are of and that are not among the objects. They were taken for ours. */
  readonly assumedClasses: readonly string[];
  /** Ports that Gateways with proxies of their own want: in a cluster each has it at its own address, one machine has it once. */
  readonly sharedPorts: readonly SharedPort[];
}

/** A port of several sets of proxies. */
export interface SharedPort {
  readonly port: number;
  /** `NAMESPACE/NAME`, sorted. */
  readonly gateways: readonly string[];
}

/** Kinds with a status, from the class to what is attached; policies by name, all others in the order of reading. */
const kindsWithStatus: readonly KindName[] = [
  ...new Set<KindName>([
    'GatewayClass',
    ...kindsOfForm('listeners'),
    ...kindsOfForm('parents'),
    ...kindsOfForm('gateways'),
    ...kindsOfForm('ancestors').toSorted(),
    ...kindsOfForm('conditions'),
  ]),
];

/**
 * What objects become, by the same steps that a control plane takes: snapshot, statuses and Envoy resources. Proxies bind every address, as in a
 * cluster. Pure. Throws a BuildFault when there is more than the limits allow.
 */
export function preview(
  events: readonly ResourceEvent[],
  { controllerName, limits, hosts, userCode, now, deriveIngresses }: PreviewOptions,
): Preview {
  const bind = (_gateway: ObjectByKind['Gateway'], port: number) => ({ address: '0.0.0.0', port });
  const graph = new Graph({
    controllerName,
    kinds: kindModules,
    bind,
    ...(limits && { limits }),
    ...(hosts && { hosts }),
    ...(userCode && { userCode }),
  });
  for (const { kind, object } of events) graph.upsert(kind.name as KindName, object as never);
  const assumedClasses = missingClasses(graph);
  for (const name of assumedClasses) graph.upsert('GatewayClass', classOf(name, controllerName));
  const served = deriveIngresses && toEnd(deriveIngresses(graph));
  const { snapshot } = graph.build(now);
  const translated = new Translator(graph.userCode).translate(snapshot, allChanges(snapshot));
  return {
    snapshot,
    graph,
    statuses: kindsWithStatus.flatMap((kind) =>
      [...graph.list(kind)]
        .filter(({ metadata: { name } }) => kind !== 'GatewayClass' || !assumedClasses.includes(name))
        // What is made of an Ingress is in no file.
        .filter((object) => ingressOf(keyOf(object)) === undefined)
        .map((object) => statusOf(graph, kind, object))
        .sort(byName),
    ),
    ingresses: served ? [...graph.list('Ingress')].map((each) => previewed(graph, each, served)).sort(byName) : [],
    envoy: translated.map(({ gateway, upserts }) => ({
      gateway,
      resources: [...upserts].sort((a, b) => compare(a.typeUrl, b.typeUrl) || compare(a.name, b.name)),
    })),
    assumedClasses,
    sharedPorts: sharedPorts(graph),
  };
}

function previewed(
  graph: Graph,
  { metadata, spec }: ObjectByKind['Ingress'],
  served: ReadonlyMap<ObjectKey, ServedIngress>,
): PreviewedIngress {
  const { namespace = '', name } = metadata;
  const own = served.get(keyOf({ metadata }));
  const statuses = (own?.routes ?? []).flatMap((route) => graph.statusOf('HTTPRoute', route) ?? []);
  const className = spec.ingressClassName ?? metadata.annotations?.['kubernetes.io/ingress.class'];
  const isMissing = own === undefined && className !== undefined && !graph.find('IngressClass', className);
  return {
    namespace,
    name,
    served: own,
    statuses: statuses.map(withoutProgrammed),
    ...(isMissing && { missingClass: className }),
  };
}

interface Named {
  readonly namespace: string;
  readonly name: string;
}

const byName = (a: Named, b: Named): number => compare(a.namespace, b.namespace) || compare(a.name, b.name);
const compare = (a: string, b: string): number => (a < b ? -1 : a > b ? 1 : 0);

function sharedPorts(graph: GraphView): SharedPort[] {
  const placeOf = ({ port, protocol, gateway }: ListenerView): string => {
    const { addresses } = graph.find('Gateway', objectKey(gateway.namespace, gateway.name))?.spec ?? {};
    return JSON.stringify([port, protocol === 'UDP', addresses?.[0]?.value]);
  };
  return [...Map.groupBy(graph.listeners(), placeOf).values()].flatMap((all) => {
    const gateways = new Set(all.map(({ gateway: { namespace, name } }) => objectKey(namespace, name)));
    const isShared = new Set(all.map(({ fleet }) => fleet)).size > 1;
    return isShared ? [{ port: all[0]?.port ?? 0, gateways: [...gateways].sort() }] : [];
  });
}

function missingClasses(graph: Graph): string[] {
  const named = [...graph.list('Gateway')].map(({ spec }) => spec.gatewayClassName);
  return [...new Set(named)].filter((name) => graph.find('GatewayClass', name) === undefined).sort();
}

const classOf = (name: string, controllerName: string) =>
  ({
    apiVersion: `${kinds.GatewayClass.group}/${kinds.GatewayClass.version}`,
    kind: 'GatewayClass',
    metadata: { name, generation: 1 },
    spec: { controllerName },
  }) as ObjectByKind['GatewayClass'];

function statusOf(graph: Graph, kind: KindName, object: KubernetesObject): ObjectStatus {
  const { namespace = '', name } = object.metadata;
  const status = graph.statusOf(kind, keyOf(object));
  return { kind, namespace, name, status: status && withoutProgrammed(status) };
}

/** Whether something is programmed a proxy says, and there is none. */
function withoutProgrammed<T>(value: T): T {
  if (Array.isArray(value)) return value.filter((entry) => !isProgrammed(entry)).map(withoutProgrammed) as T;
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([key, field]) => [key, withoutProgrammed(field)])) as T;
}

const isProgrammed = (entry: unknown): boolean =>
  typeof entry === 'object' && entry !== null && (entry as Partial<Condition>).type === 'Programmed';
