import { experimentalGroup, type ObjectByKind, ownGroup, type ServicePort } from '../../gateway-api/index.ts';
import type * as ir from '../../ir/index.ts';
import { isAiRef, resolveAiService } from '../ai/ai-route.ts';
import type { Store } from '../engine/store.ts';
import { ungranted } from '../engine/ungranted.ts';
import type { RuleSpec } from '../filters/filter.ts';
import type { Fault } from '../model/condition.ts';
import { resolveXBackend, xBackendOwner } from '../x-backend.ts';

export type BackendRefSpec = NonNullable<RuleSpec['backendRefs']>[number];

/** Where a backendRef leads, or why it leads nowhere. `host` is what it is called outside, where it is. */
export type ResolvedBackend =
  | {
      readonly key: string;
      readonly host?: string;
      /** Other backends that requests get to by way of this one. */
      readonly uses?: readonly string[];
    }
  | { readonly fault: Fault };

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

/** What a backend belongs to: `NAMESPACE/SERVICE`, or xBackendOwner. */
export function ownerOfBackend(key: string): string {
  const { namespace, service, source } = splitBackendKey(key);
  if (source === 'ai' || source === 'ai-route') return `${source} ${namespace}/${service}`;
  return source ? xBackendOwner(`${namespace}/${service}`) : `${namespace}/${service}`;
}

/** The key of a backend's port, whatever its variant: `NAMESPACE/SERVICE/PORT`, with `/udp`, `/pods` or `/external`. */
export function portOfBackend(key: string): string {
  const { namespace, service, port, transport, source } = splitBackendKey(key);
  return backendKey(namespace, service, port, { transport, source });
}

/** Whether BackendTLSPolicies of its Service say how a backend is spoken to. */
export const appliesPolicies = ({ transport, stream }: Pick<BackendKeyParts, 'transport' | 'stream'>): boolean =>
  transport === 'TCP' && stream !== 'plain';

/** Who refers to a backend, and how its proxies speak to backends. */
export interface BackendUser {
  readonly kind: string;
  readonly namespace: string;
  readonly variant?: BackendVariant;
  /** keyOfAiRoute of the rule that the reference is in. */
  readonly aiRoute?: string;
}

/** Resolves one reference of a route. Source: Gateway API, BackendObjectReference; reasons of RouteConditionResolvedRefs. */
export function resolveBackend(
  ref: Pick<BackendRefSpec, 'group' | 'kind' | 'name' | 'namespace' | 'port'>,
  route: BackendUser,
  store: Store,
): ResolvedBackend {
  const { group = '', kind = 'Service', name, namespace = route.namespace, port } = ref;
  const fault = (reason: string, message: string): ResolvedBackend => ({ fault: { reason, message } });
  const isXBackend = group === experimentalGroup && kind === 'XBackend';
  const isAiService = isAiRef({ group, kind });
  if (!isXBackend && !isAiService && (group !== '' || kind !== 'Service')) {
    return fault(
      'InvalidKind',
      `backendRef ${name} is of kind ${group ? `${group}/` : ''}${kind}: only Service, XBackend of ${experimentalGroup} and AIService of ${ownGroup} are supported`,
    );
  }
  const from = { group: 'gateway.networking.k8s.io', kind: route.kind, namespace: route.namespace };
  if (!store.allows({ from, to: { group, kind, namespace, name } })) {
    return fault('RefNotPermitted', ungranted({ kind, namespace, name, user: route }, store));
  }
  if (isAiService) return resolveAiService({ name, namespace }, route, store);
  if (isXBackend) return resolveXBackend({ name, namespace }, route, store);
  const service = store.find('Service', `${namespace}/${name}`);
  if (!service) return fault('BackendNotFound', `Service ${namespace}/${name} does not exist`);
  return resolvePort(service, port, route.kind === 'UDPRoute' ? 'UDP' : 'TCP', route.variant);
}

function resolvePort(
  service: ObjectByKind['Service'],
  port: number | undefined,
  transport: Transport,
  variant: BackendVariant = {},
): ResolvedBackend {
  const { name, namespace = '' } = service.metadata;
  const fault = (reason: string, message: string): ResolvedBackend => ({ fault: { reason, message } });
  if (port === undefined)
    return fault('BackendNotFound', `backendRef ${name} has no port: name one of Service ${namespace}/${name}`);
  if (service.spec.type === 'ExternalName') {
    return fault(
      'BackendNotFound',
      `Service ${namespace}/${name} is of type ExternalName, which has no endpoints here: use a Service with EndpointSlices`,
    );
  }
  const found = service.spec.ports?.find((entry) => entry.port === port && transportOf(entry) === transport);
  if (found) {
    // Where the Service says HTTP/2 by itself, all can share one backend.
    const http2 = variant.http2 === true && protocolOf(found) !== 'h2c';
    return { key: backendKey(namespace, name, port, { ...variant, http2, transport }) };
  }
  const text = (number: number, of: Transport) => `${number}${of === 'UDP' ? '/UDP' : ''}`;
  const ports = service.spec.ports?.map((entry) => text(entry.port, transportOf(entry))).join(', ') || 'none';
  return fault('BackendNotFound', `Service ${namespace}/${name} has no port ${text(port, transport)}: it has ${ports}`);
}

/** How requests travel to a port. Source: GEP-1911, the standard appProtocol values. WebSocket is HTTP/1.1 with an upgrade. */
export const protocolOf = ({ appProtocol }: ServicePort): ir.BackendProtocol =>
  appProtocol === 'kubernetes.io/h2c' ? 'h2c' : 'http1';
