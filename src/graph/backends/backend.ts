import { isIP } from 'node:net';
import type { ObjectByKind, ServicePort } from '../../gateway-api/index.ts';
import type * as ir from '../../ir/index.ts';
import { aiRouteBackend } from '../ai/ai-route.ts';
import { aiServiceBackend } from '../ai/ai-service.ts';
import type { PolicyLookup } from '../ai/token-policy.ts';
import { tuningOf } from '../backend-policy.ts';
import { policyOf, settleTls } from '../backend-tls-policy.ts';
import type { Store } from '../engine/store.ts';
import { compareText } from '../model/compare-text.ts';
import type { PolicyIndex } from '../policy-index.ts';
import type { TargetIndex } from '../policy-targets.ts';
import { retryBudgetOf } from '../traffic-policy.ts';
import { settleXBackend } from '../x-backend-settle.ts';
import {
  type BackendKeyParts,
  heedsPolicies,
  ownerOfBackend,
  protocolOf,
  splitBackendKey,
  transportOf,
} from './backend-ref.ts';

/** The policies that say how backends are spoken to. */
export interface BackendPolicies {
  readonly policies: PolicyIndex;
  readonly trafficPolicies: TargetIndex;
  readonly backendPolicies: TargetIndex;
  readonly tokenPolicies: PolicyLookup;
}

/** What a backend key stands for now; undefined when its Service or port is gone. */
export interface SettledBackend {
  readonly backend: ir.Backend;
  readonly endpoints: ir.Endpoints;
}

export function settleBackend(key: string, store: Store, policies: BackendPolicies): SettledBackend | undefined {
  const settled = settleUntuned(key, store, policies);
  const tuning = settled && tuningOf(ownerOfBackend(key), settled.backend.protocol, policies.backendPolicies, store);
  return tuning ? { ...settled, backend: { ...settled.backend, tuning } } : settled;
}

function settleUntuned(
  key: string,
  store: Store,
  { policies, trafficPolicies, tokenPolicies }: BackendPolicies,
): SettledBackend | undefined {
  const parts = splitBackendKey(key);
  // Connections are not retried.
  const retryBudget = parts.stream ? undefined : retryBudgetOf(ownerOfBackend(key), trafficPolicies, store);
  if (parts.source === 'ai' || parts.source === 'ai-route') return settleAi(key, parts, store, tokenPolicies);
  if (parts.source) return settleXBackend(key, parts, store, retryBudget);
  const { namespace, service: name, port, transport } = parts;
  const serviceKey = `${namespace}/${name}`;
  const service = store.find('Service', serviceKey);
  const servicePort = service?.spec.ports?.find((entry) => entry.port === port && transportOf(entry) === transport);
  if (!service || !servicePort) return undefined;
  const tls = heedsPolicies(parts)
    ? tlsOf(serviceKey, servicePort, parts.clientCertificate, store, policies)
    : undefined;
  const protocol = protocolFor(parts, servicePort);
  return {
    backend: {
      key,
      namespace,
      service: name,
      port,
      protocol,
      ...(tls !== 'refused' && tls && { tls }),
      ...(retryBudget && protocol !== 'udp' && { retryBudget }),
      ...(prefersZone(service) && { prefersZone: true as const }),
    },
    // A policy that cannot be followed leaves no way to the backend: plain text is what it forbids.
    endpoints: { backend: key, endpoints: tls === 'refused' ? [] : endpointsOf(serviceKey, servicePort, store) },
  };
}

/** What is reached through a listener within the proxy has no endpoints that anybody could send. */
function settleAi(
  key: string,
  { namespace, service: name, port, source }: BackendKeyParts,
  store: Store,
  policies: PolicyLookup,
): SettledBackend | undefined {
  const object = source === 'ai' ? store.find('AIService', `${namespace}/${name}`) : undefined;
  const backend = object
    ? aiServiceBackend(key, object, store)
    : source === 'ai-route'
      ? aiRouteBackend(key, { namespace, name, rule: port }, store, policies)
      : undefined;
  return backend && { backend, endpoints: { backend: key, endpoints: [] } };
}

/** PreferSameNode too: proxies know their zone, and nothing nearer. Source: ServiceSpec.trafficDistribution, KEP-3015. */
const prefersZone = ({ spec }: ObjectByKind['Service']): boolean =>
  ['PreferClose', 'PreferSameZone', 'PreferSameNode'].includes(spec.trafficDistribution ?? '');

function protocolFor({ transport, stream, http2 }: BackendKeyParts, port: ServicePort): ir.BackendProtocol {
  if (transport === 'UDP') return 'udp';
  if (stream) return 'tcp';
  return http2 ? 'h2c' : protocolOf(port);
}

function tlsOf(
  service: string,
  port: ServicePort,
  clientCertificate: string | undefined,
  store: Store,
  policies: PolicyIndex,
): ir.BackendTls | 'refused' | undefined {
  const policy = policyOf(service, port, policies, store);
  if (!policy) return undefined;
  const { tls } = settleTls(policy, store);
  return tls ? { ...tls, ...(clientCertificate && { clientCertificate }) } : 'refused';
}

/**
 * Addresses of a Service's port from its EndpointSlices. When none is ready those that still serve are used, as
 * kube-proxy does: a rollout that leaves only terminating pods must not turn into errors.
 */
function endpointsOf(serviceKey: string, { name = '' }: ServicePort, store: Store): ir.Endpoint[] {
  const slices = addressFamily([...store.slicesOf(serviceKey)]);
  const found = slices.flatMap((slice) => candidatesOf(slice, name));
  const candidates = [...new Map(found.map((entry) => [entry.place, entry])).values()];
  const someReady = candidates.some(({ ready }) => ready);
  const usable = someReady
    ? candidates.filter(({ ready, draining }) => ready || draining)
    : candidates.filter(({ serving }) => serving);
  const endpoints = usable.map(
    ({ endpoint, ready }): ir.Endpoint => (ready || !someReady ? endpoint : { ...endpoint, health: 'draining' }),
  );
  return endpoints.sort((a, b) => compareText(a.address, b.address) || a.port - b.port);
}

/** A dual-stack Service has every pod twice; one family is enough. */
function addressFamily(slices: readonly ObjectByKind['EndpointSlice'][]): readonly ObjectByKind['EndpointSlice'][] {
  const ipv4 = slices.filter(({ addressType }) => addressType === 'IPv4');
  const chosen = ipv4.length > 0 ? ipv4 : slices.filter(({ addressType }) => addressType === 'IPv6');
  return chosen.sort((a, b) => compareText(a.metadata.name, b.metadata.name));
}

const isIp = (address: string): boolean => isIP(address) !== 0;

interface Candidate {
  /** Address and port, which several slices may have. */
  readonly place: string;
  /** As it is when it is ready, or when none is. */
  readonly endpoint: ir.Endpoint;
  readonly ready: boolean;
  readonly serving: boolean;
  readonly draining: boolean;
}

/** What is found in slices of many endpoints, by port. */
const foundInSlices = new WeakMap<ObjectByKind['EndpointSlice'], Map<string, readonly Candidate[]>>();
/** Endpoints of a slice; with fewer it is quicker found again than kept. */
const many = 20;

/** When one slice of a large Service changes, the others have not. */
function candidatesOf(slice: ObjectByKind['EndpointSlice'], portName: string): readonly Candidate[] {
  if ((slice.endpoints?.length ?? 0) < many) return sliceEndpoints(slice, portName);
  const byPort = foundInSlices.get(slice) ?? new Map<string, readonly Candidate[]>();
  const found = byPort.get(portName) ?? sliceEndpoints(slice, portName);
  foundInSlices.set(slice, byPort.set(portName, found));
  return found;
}

function sliceEndpoints(slice: ObjectByKind['EndpointSlice'], portName: string): Candidate[] {
  const port = slice.ports?.find((entry) => (entry.name ?? '') === portName)?.port;
  if (port === undefined) return [];
  return (slice.endpoints ?? []).flatMap(({ addresses, conditions, zone: ownZone, nodeName, hints }) => {
    // The zone that should use it, which need not be the one it is in.
    const zone = hints?.forZones?.[0]?.name ?? ownZone;
    // Source: discovery.k8s.io/v1 EndpointConditions: an absent `ready` or `serving` means true.
    const ready = conditions?.ready ?? true;
    const serving = conditions?.serving ?? ready;
    const draining = serving && conditions?.terminating === true;
    // What is no IP address would cost the backend all of its endpoints.
    return addresses.filter(isIp).map((address) => ({
      place: `${address} ${port}`,
      endpoint: { address, port, ...(zone && { zone }), ...(nodeName && { node: nodeName }), health: 'ready' as const },
      ready,
      serving,
      draining,
    }));
  });
}
