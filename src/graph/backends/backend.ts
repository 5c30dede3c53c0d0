import { isIP } from 'node:net';
import type { ObjectByKind, ServicePort } from '../../gateway-api/index.ts';
import type * as ir from '../../ir/index.ts';
import { aiRouteBackend } from '../ai/ai-route.ts';
import { aiServiceBackend } from '../ai/ai-service.ts';
import type { BackendSettings, Lookup } from '../engine/backend-hooks.ts';
import type { Store } from '../engine/store.ts';
import { compareText } from '../model/compare-text.ts';
import { defined } from '../model/defined.ts';
import { settleXBackend } from '../x-backend-settle.ts';
import { type BackendKeyParts, ownerOfBackend, protocolOf, splitBackendKey, transportOf } from './backend-ref.ts';

/** What a backend key stands for now; undefined when its Service or port is gone. */
export interface SettledBackend {
  readonly backend: ir.Backend;
  readonly endpoints: ir.Endpoints;
}

/** `settings`: those of all kinds of policies, in the order in which they apply. */
export function resolveBackendKey(
  key: string,
  lookup: Lookup,
  settings: readonly BackendSettings[],
): SettledBackend | undefined {
  const resolved = resolvePlain(key, lookup);
  return resolved && withSettings(resolved, ownerOfBackend(key), lookup, settings);
}

function withSettings(
  { backend, endpoints }: SettledBackend,
  owner: string,
  lookup: Lookup,
  settings: readonly BackendSettings[],
): SettledBackend {
  const found = settings.flatMap(({ settingOf }) => settingOf(owner, backend, lookup) ?? []);
  if (found.length === 0) return { backend, endpoints };
  const isClosed = found.some((setting) => setting.isClosed);
  const set = inOrder(Object.assign({}, backend, ...found.map(({ fields }) => fields)));
  return { backend: set, endpoints: isClosed ? { ...endpoints, endpoints: [] } : endpoints };
}

/** Content is compared as it is written: the order of its fields says which snapshot it is, in every replica and after every upgrade. */
function inOrder({ key, kind, namespace, service, port, protocol, tls, retryBudget, tuning, ...rest }: ir.Backend) {
  const known = { key, kind, namespace, service, port, protocol, tls, retryBudget };
  return defined<ir.Backend>({ ...known, ...rest, tuning });
}

/** As its Service, or whatever it is of, describes it. */
function resolvePlain(key: string, lookup: Lookup): SettledBackend | undefined {
  const { store } = lookup;
  const parts = splitBackendKey(key);
  if (parts.source === 'ai' || parts.source === 'ai-route') return resolveAi(key, parts, lookup);
  if (parts.source) return settleXBackend(key, parts, store);
  const { namespace, service: name, port, transport } = parts;
  const serviceKey = `${namespace}/${name}`;
  const service = store.find('Service', serviceKey);
  const servicePort = service?.spec.ports?.find((entry) => entry.port === port && transportOf(entry) === transport);
  if (!service || !servicePort) return undefined;
  const protocol = protocolFor(parts, servicePort);
  return {
    backend: {
      key,
      namespace,
      service: name,
      port,
      protocol,
      ...(prefersZone(service) && { prefersZone: true as const }),
    },
    endpoints: { backend: key, endpoints: endpointsOf(serviceKey, servicePort, store) },
  };
}

/** What is reached through a listener within the proxy has no endpoints to be sent. */
function resolveAi(
  key: string,
  { namespace, service: name, port, source }: BackendKeyParts,
  lookup: Lookup,
): SettledBackend | undefined {
  const object = source === 'ai' ? lookup.store.find('AIService', `${namespace}/${name}`) : undefined;
  const backend = object
    ? aiServiceBackend(key, object, lookup.store)
    : source === 'ai-route'
      ? aiRouteBackend(key, { namespace, name, rule: port }, lookup)
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
