/** Keys of what the IR holds: what makes each stands beside what takes it apart. Nothing else reads their shapes. */
import type { Key } from '../std/index.ts';
import { flatten } from '../std/memory/index.ts';

/**
 * Key of the proxies that serve together, which is what their nodes call their cluster: of a Gateway's own proxies the
 * Gateway's, `NAMESPACE/NAME`; of those that all Gateways of a class share `NAMESPACE/class:GATEWAYCLASS`, by the
 * namespace they run in.
 */
export type FleetKey = Key<'fleet'>;

/** No name of Kubernetes has a colon, so that no Gateway's key is the key of a shared fleet. */
const sharedMark = 'class:';

/** The fleet of a Gateway that has proxies of its own, by the key of the Gateway. */
export const ownFleetKey = (gateway: string): FleetKey => gateway as FleetKey;

/** The fleet that all Gateways of a class share. */
export const sharedFleetKey = (namespace: string, gatewayClass: string): FleetKey =>
  `${namespace}/${sharedMark}${gatewayClass}` as FleetKey;

/** Where a fleet belongs, and its name there: the Gateway's, or `class:GATEWAYCLASS`. */
export function parseFleetKey(key: string): { readonly namespace: string; readonly name: string } {
  const slash = key.indexOf('/');
  return { namespace: key.slice(0, Math.max(0, slash)), name: key.slice(slash + 1) };
}

/** The class whose Gateways share the fleet of this key, and where it runs; undefined where it is a Gateway's own. */
export function sharedFleetOf(key: string): { readonly namespace: string; readonly gatewayClass: string } | undefined {
  const { namespace, name } = parseFleetKey(key);
  return name.startsWith(sharedMark) ? { namespace, gatewayClass: name.slice(sharedMark.length) } : undefined;
}

/**
 * What a backend is when not a Service: a ServiceImport; Pods that an XBackend selects, or DNS; an InferencePool, and its model servers; a DynamicBackend; an AIService;
 * the rule of a route (its number in place of the port) that chooses among AIServices; an AccessPolicy by which browsers log in; an HTTPFilter that has
 * a credential for backends; an ExtensionPolicy that has a module for proxies to run.
 */
export type BackendSource =
  | 'import'
  | 'pods'
  | 'external'
  | 'pool'
  | 'servers'
  | 'dynamic'
  | 'ai'
  | 'ai-route'
  | 'login'
  | 'credential'
  | 'module';

/** A Service may have one port number twice, once for each. */
export type Transport = 'TCP' | 'UDP';

/** How a server is asked whether requests may come in, where that is not as Envoy asks by itself. */
export interface AskedAs {
  /** Whatever the request's. */
  readonly method?: 'GET' | 'HEAD' | 'POST';
  /** Every status from 200 to 299 is a yes, not 200 alone. */
  readonly successful?: true;
  /** By its own host name, not the request's. */
  readonly ownHost?: true;
}

const askedText = ({ method, successful, ownHost }: AskedAs): string =>
  [method ?? [], successful ? '2xx' : [], ownHost ? 'host' : []].flat().join('.');

function askedOf(text: string): AskedAs {
  const words = text.split('.');
  const method = (['GET', 'HEAD', 'POST'] as const).find((each) => words.includes(each));
  return {
    ...(method && { method }),
    ...(words.includes('2xx') && { successful: true }),
    ...(words.includes('host') && { ownHost: true }),
  };
}

/** What makes proxies treat one port of a Service differently, beside what the Service and its policies say. */
export interface BackendVariant {
  /** HTTP/2, whatever the Service says. */
  readonly http2?: boolean;
  /** Bytes, whatever the Service says: `plain` as the client sent them, `tcp` within TLS where a policy wants it. */
  readonly stream?: 'plain' | 'tcp';
  /** It is asked about requests, in this way. */
  readonly asked?: AskedAs;
  /** An endpoint picker, whose streams are gRPC, within TLS unless its Service says otherwise. */
  readonly picker?: true;
  /** Key of the ir.Secret that the gateway's proxies show. */
  readonly clientCertificate?: string;
}

/**
 * A backend in the snapshot and as a cluster of Envoy: `NAMESPACE/SERVICE/PORT`, then `/udp` for a UDP port, `/import` of a ServiceImport, `/pods` or `/external` of an XBackend,
 * `/pool` or `/servers` of an InferencePool, `/dynamic` of a DynamicBackend, `/login` of an AccessPolicy, `/credential` of an HTTPFilter, `/module` of an ExtensionPolicy, then `/h2`,
 * `/plain` or `/tcp`, `/ask/WORDS`, `/picker` and `/as/NAMESPACE/SECRET` for variants.
 */
export type BackendKey = Key<'backend'>;

export const backendKey = (
  namespace: string,
  service: string,
  port: number,
  {
    transport,
    source,
    http2,
    stream,
    asked,
    picker,
    clientCertificate,
  }: BackendVariant & { readonly transport?: Transport; readonly source?: BackendSource | undefined } = {},
): BackendKey =>
  [
    `${namespace}/${service}/${port}`,
    ...(transport === 'UDP' ? ['udp'] : []),
    ...(source ? [source] : []),
    ...(http2 ? ['h2'] : []),
    ...(stream ? [stream] : []),
    ...(asked && askedText(asked) !== '' ? ['ask', askedText(asked)] : []),
    ...(picker ? ['picker'] : []),
    ...(clientCertificate ? ['as', clientCertificate] : []),
  ].join('/') as BackendKey;

/** The parts of a backend key. */
export interface BackendKeyParts extends BackendVariant {
  readonly namespace: string;
  readonly service: string;
  readonly port: number;
  readonly transport: Transport;
  /** Undefined: `service` is a Service. */
  readonly source?: BackendSource;
}

const backendKeyPattern =
  /^(?<namespace>[^/]+)\/(?<service>[^/]+)\/(?<port>\d+)(?<udp>\/udp)?(?:\/(?<source>import|pods|external|pool|servers|dynamic|ai-route|login|credential|module|ai(?=$|\/)))?(?:\/~[0-9a-f]+)?(?<http2>\/h2)?(?:\/(?<stream>plain|tcp))?(?:\/ask\/(?<asked>[A-Za-z0-9.]+))?(?<picker>\/picker)?(?:\/as\/(?<secret>.+))?$/;

/** Takes apart what backendKey made. Throws for anything else. */
export function parseBackendKey(key: string): BackendKeyParts {
  const found = backendKeyPattern.exec(key)?.groups;
  if (!found) throw new Error(`${key} is not the key of a backend`);
  const { namespace = '', service = '', port, udp, source, http2, stream, asked, picker, secret } = found;
  return {
    namespace,
    service,
    port: Number(port),
    transport: udp ? 'UDP' : 'TCP',
    ...(source && { source: source as BackendSource }),
    ...(http2 && { http2: true }),
    ...(stream && { stream: stream as 'plain' | 'tcp' }),
    ...(asked && { asked: askedOf(asked) }),
    ...(picker && { picker: true }),
    ...(secret && { clientCertificate: secret }),
  };
}

/** `httproute/NAMESPACE/NAME/rule/RULE/match/MATCH`: one match of a route in the IR and in Envoy. */
export type RouteId = Key<'route-id'>;

/** `source` is the object, `httproute/NAMESPACE/NAME`. */
export const routeId = (source: string, rule: number, match: number): RouteId =>
  flatten([source, 'rule', String(rule), 'match', String(match)], '/') as RouteId;

/** The parts of a route's id; `kind` is in lower case. A missing number is NaN. */
export function parseRouteId(id: string): {
  readonly kind: string;
  readonly namespace: string;
  readonly name: string;
  readonly rule: number;
  readonly match: number;
} {
  const [kind = '', namespace = '', name = '', , rule, , match] = id.split('/');
  return { kind, namespace, name, rule: Number(rule), match: Number(match) };
}

/** `httproute/NAMESPACE/NAME` of a route's id: the object behind it. */
export const sourceOfRoute = (id: string): string => id.split('/', 3).join('/');

/** The namespace of `KIND/NAMESPACE/NAME`. */
export const namespaceOfSource = (source: string): string => source.split('/', 2)[1] ?? '';

/** The Gateway's listener that a table is of, by its place; empty for one of several: `https/443/PLACE`. */
export const placeOfTable = (table: string): string => table.split('/').slice(2).join('/');

/**
 * The parts that keys of listeners and of tables begin with, `PROTOCOL/PORT`: `http/80`, `https/443/LISTENER`. `port` is
 * undefined where the key has none.
 */
export function parsePortKey(key: string): { readonly protocol: string; readonly port?: number } {
  const [protocol = '', port] = key.split('/', 2);
  return port === undefined ? { protocol } : { protocol, port: Number(port) };
}

/**
 * The table in which a request is looked up at last that none of its own table is for: of all hosts that other listeners
 * of an HTTPS port are for, which are answered 421. HTTP has one table a port, and no such hosts.
 */
export const sharedTable = (table: string): string | undefined =>
  table.startsWith('https/') ? table.split('/', 2).join('/') : undefined;

/** ir.LimitBucket.id */
export const bucketId = (policy: string, bucket: string): string => `${policy}/${bucket}`;

/** Of an ir.BackendPatch, ir.RoutePatch or ir.ListenerPatch. */
export const patchId = (policy: string, resource: string): string => `${policy}|${resource}`;

/** Of the id of a patch, the key of its EnvoyPatch. */
export const policyOfPatch = (id: string): string => id.slice(0, id.indexOf('|'));

/** Of the id of a bucket, the key of its policy. */
export const policyOfBucket = (id: string): string => id.slice(0, id.lastIndexOf('/'));

/**
 * What a policy demands in one place of a table: the policy's key `NAMESPACE/NAME`, its level, and the hosts that it is for. A policy may have several targets there, and
 * only one of them the content that proxies reject.
 */
export const demandKey = (policy: string, level: string, hostnames: readonly string[] | undefined): string =>
  [policy, level, ...(hostnames ?? [])].join(' ');

/** The policy whose demand this is; of a policy's own key, itself. */
export function policyOfDemand(key: string): string {
  const end = key.indexOf(' ');
  return end < 0 ? key : key.slice(0, end);
}
