import type { KindName, ServicePort } from '../../gateway-api/index.ts';

/**
 * What a backend is when not a Service: Pods that an XBackend selects, or DNS; an AIService; the rule of a route (its number in place
 * of the port) that chooses among AIServices.
 */
export type BackendSource = 'pods' | 'external' | 'ai' | 'ai-route';

/** A Service may have one port number twice, once for each. */
export type Transport = 'TCP' | 'UDP';

export const transportOf = ({ protocol }: Pick<ServicePort, 'protocol'>): Transport =>
  protocol === 'UDP' ? 'UDP' : 'TCP';

/** What makes proxies treat one port of a Service differently, beside what the Service and its policies say. */
export interface BackendVariant {
  /** HTTP/2, whatever the Service says. */
  readonly http2?: boolean;
  /** Bytes, whatever the Service says: `plain` as the client sent them, `tcp` within TLS where a policy wants it. */
  readonly stream?: 'plain' | 'tcp';
  /** Key of the ir.Secret that the gateway's proxies show. */
  readonly clientCertificate?: string;
}

/**
 * ir.Backend.key: `NAMESPACE/SERVICE/PORT`, then `/udp` for a UDP port, `/pods` or `/external` of an XBackend, then `/h2`, `/plain` or `/tcp`, and
 * `/as/NAMESPACE/SECRET` for variants.
 */
export const backendKey = (
  namespace: string,
  service: string,
  port: number,
  {
    transport,
    source,
    http2,
    stream,
    clientCertificate,
  }: BackendVariant & { readonly transport?: Transport; readonly source?: BackendSource | undefined } = {},
): string =>
  [
    `${namespace}/${service}/${port}`,
    ...(transport === 'UDP' ? ['udp'] : []),
    ...(source ? [source] : []),
    ...(http2 ? ['h2'] : []),
    ...(stream ? [stream] : []),
    ...(clientCertificate ? ['as', clientCertificate] : []),
  ].join('/');

/** The parts of a backend key. */
export interface BackendKeyParts extends BackendVariant {
  readonly namespace: string;
  readonly service: string;
  readonly port: number;
  readonly transport: Transport;
  /** Undefined: `service` is a Service, else an XBackend. */
  readonly source?: BackendSource;
}

const backendKeyPattern =
  /^(?<namespace>[^/]+)\/(?<service>[^/]+)\/(?<port>\d+)(?<udp>\/udp)?(?:\/(?<source>pods|external|ai-route|ai(?=$|\/)))?(?:\/~[0-9a-f]+)?(?<http2>\/h2)?(?:\/(?<stream>plain|tcp))?(?:\/as\/(?<secret>.+))?$/;

/** Takes apart what backendKey made. Throws for anything else. */
export function splitBackendKey(key: string): BackendKeyParts {
  const found = backendKeyPattern.exec(key)?.groups;
  if (!found) throw new Error(`${key} is not the key of a backend`);
  const { namespace = '', service = '', port, udp, source, http2, stream, secret } = found;
  return {
    namespace,
    service,
    port: Number(port),
    transport: udp ? 'UDP' : 'TCP',
    ...(source && { source: source as BackendSource }),
    ...(http2 && { http2: true }),
    ...(stream && { stream: stream as 'plain' | 'tcp' }),
    ...(secret && { clientCertificate: secret }),
  };
}

/** The kinds that backends of a source are of: the one that provides them, and the one whose object they belong to. */
const sourceKinds: Readonly<Record<BackendSource, { readonly provider: KindName; readonly owner: KindName }>> = {
  pods: { provider: 'XBackend', owner: 'XBackend' },
  external: { provider: 'XBackend', owner: 'XBackend' },
  ai: { provider: 'AIService', owner: 'AIService' },
  'ai-route': { provider: 'AIService', owner: 'HTTPRoute' },
};

/** The kind whose module knows backends of a source. */
export const providerKindOf = ({ source }: Pick<BackendKeyParts, 'source'>): KindName =>
  source ? sourceKinds[source].provider : 'Service';

/** The kind of the object that a backend belongs to. */
export const ownerKindOf = ({ source }: Pick<BackendKeyParts, 'source'>): KindName =>
  source ? sourceKinds[source].owner : 'Service';

/** How owners of backends go by in indexes: `NAMESPACE/NAME` of a Service, `KIND NAMESPACE/NAME` of anything else. */
export const backendOwner = (kind: KindName, key: string): string => (kind === 'Service' ? key : `${kind} ${key}`);

/** The kind and key of a backendOwner. */
export function splitBackendOwner(owner: string): { readonly kind: KindName; readonly key: string } {
  const space = owner.indexOf(' ');
  return space < 0
    ? { kind: 'Service', key: owner }
    : { kind: owner.slice(0, space) as KindName, key: owner.slice(space + 1) };
}

/** What a backend belongs to, as backendOwner. */
export function ownerOfBackend(key: string): string {
  const parts = splitBackendKey(key);
  return backendOwner(ownerKindOf(parts), `${parts.namespace}/${parts.service}`);
}

/** The key of a backend's port, whatever its variant: `NAMESPACE/SERVICE/PORT`, with `/udp`, `/pods` or `/external`. */
export function portOfBackend(key: string): string {
  const { namespace, service, port, transport, source } = splitBackendKey(key);
  return backendKey(namespace, service, port, { transport, source });
}

/** Whether BackendTLSPolicies of its Service say how a backend is spoken to. */
export const appliesPolicies = ({ transport, stream }: Pick<BackendKeyParts, 'transport' | 'stream'>): boolean =>
  transport === 'TCP' && stream !== 'plain';
