import type { ObjectByKind, ServicePort } from '../gateway-api/index.ts';
import type * as ir from '../ir/index.ts';
import type { Fault } from './condition.ts';
import type { RuleSpec } from './filter.ts';
import type { Store } from './store.ts';

export type BackendRefSpec = NonNullable<RuleSpec['backendRefs']>[number];

/** Where a backendRef leads, or why it leads nowhere. */
export type ResolvedBackend = { readonly key: string } | { readonly fault: Fault };

/** What makes proxies treat one port of a Service differently, beside what the Service and its policies say. */
export interface BackendVariant {
  /** HTTP/2, whatever the Service says. */
  readonly http2?: boolean;
  /** Key of the ir.Secret that the gateway's proxies show. */
  readonly clientCertificate?: string;
}

/** ir.Backend.key: `NAMESPACE/SERVICE/PORT`, then `/h2` and `/as/NAMESPACE/SECRET` for variants. */
export const backendKey = (namespace: string, service: string, port: number, variant: BackendVariant = {}): string =>
  [
    `${namespace}/${service}/${port}`,
    ...(variant.http2 ? ['h2'] : []),
    ...(variant.clientCertificate ? ['as', variant.clientCertificate] : []),
  ].join('/');

/** The parts of a backend key. */
export function splitBackendKey(
  key: string,
): BackendVariant & { readonly namespace: string; readonly service: string; readonly port: number } {
  const [namespace = '', service = '', port = '', ...rest] = key.split('/');
  const http2 = rest[0] === 'h2';
  const [, secretNamespace, secret] = http2 ? rest.slice(1) : rest;
  return {
    namespace,
    service,
    port: Number(port),
    ...(http2 && { http2 }),
    ...(secret && { clientCertificate: `${secretNamespace}/${secret}` }),
  };
}

/** `NAMESPACE/SERVICE` of a backend. */
export const serviceOfBackend = (key: string): string => key.split('/').slice(0, 2).join('/');

/** `NAMESPACE/SERVICE/PORT` of a backend, whatever its variant. */
export const portOfBackend = (key: string): string => key.split('/').slice(0, 3).join('/');

/** Who refers to a backend, and how its proxies speak to backends. */
export interface BackendUser {
  readonly kind: string;
  readonly namespace: string;
  readonly variant?: BackendVariant;
}

/** Resolves one reference of a route. Source: Gateway API, BackendObjectReference; reasons of RouteConditionResolvedRefs. */
export function resolveBackend(
  ref: Pick<BackendRefSpec, 'group' | 'kind' | 'name' | 'namespace' | 'port'>,
  route: BackendUser,
  store: Store,
): ResolvedBackend {
  const { group = '', kind = 'Service', name, namespace = route.namespace, port } = ref;
  const fault = (reason: string, message: string): ResolvedBackend => ({ fault: { reason, message } });
  if (group !== '' || kind !== 'Service') {
    return fault(
      'InvalidKind',
      `backendRef ${name} is of kind ${group ? `${group}/` : ''}${kind}: only Service is supported`,
    );
  }
  const from = { group: 'gateway.networking.k8s.io', kind: route.kind, namespace: route.namespace };
  if (!store.allows({ from, to: { group: '', kind: 'Service', namespace, name } })) {
    const message = `Service ${namespace}/${name} is in another namespace and no ReferenceGrant there allows ${route.kind}s of ${route.namespace} to use it`;
    return fault('RefNotPermitted', message);
  }
  const service = store.find('Service', `${namespace}/${name}`);
  if (!service) return fault('BackendNotFound', `Service ${namespace}/${name} does not exist`);
  return resolvePort(service, port, route.variant);
}

function resolvePort(
  service: ObjectByKind['Service'],
  port: number | undefined,
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
  const found = service.spec.ports?.find((entry) => entry.port === port);
  if (found) {
    // Where the Service says HTTP/2 by itself, all can share one backend.
    const http2 = variant.http2 === true && protocolOf(found) !== 'h2c';
    return { key: backendKey(namespace, name, port, { ...variant, http2 }) };
  }
  const ports = service.spec.ports?.map((entry) => entry.port).join(', ') || 'none';
  return fault('BackendNotFound', `Service ${namespace}/${name} has no port ${port}: it has ${ports}`);
}

/** Source: GEP-1911, the standard appProtocol values. WebSocket is HTTP/1.1 with an upgrade. */
export const protocolOf = ({ appProtocol }: ServicePort): ir.BackendProtocol =>
  appProtocol === 'kubernetes.io/h2c' ? 'h2c' : 'http1';
