import type * as ir from '../../ir/index.ts';
import type { BackendSettings, Failover, Lookup, Store } from '../engine/index.ts';
import { type BackendContent, defined, parseBackendKey } from '../model/index.ts';

/** What backends are found by. */
export interface BackendLookup extends Lookup {
  readonly store: Store;
}

/** What a backend key stands for now; undefined when its object or port is gone. `settings`: those of all kinds of policies, in the order in which they apply. */
export function backendContent(
  key: string,
  lookup: BackendLookup,
  settings: readonly BackendSettings[],
): BackendContent | undefined {
  const parts = parseBackendKey(key);
  const { providers } = lookup.store;
  const resolved = providers.of(parts).contentOf(key, parts, lookup);
  const asked =
    resolved && parts.asked ? { ...resolved, backend: { ...resolved.backend, asked: parts.asked } } : resolved;
  return asked && withSettings(asked, providers.ownerOf(key), lookup, settings);
}

function withSettings(
  { backend, endpoints }: BackendContent,
  owner: string,
  lookup: Lookup,
  settings: readonly BackendSettings[],
): BackendContent {
  const found = settings.flatMap(({ settingOf }) => settingOf(owner, backend, lookup) ?? []);
  if (found.length === 0) return { backend, endpoints };
  const isClosed = found.some((setting) => setting.isClosed);
  const set = inOrder(Object.assign({}, backend, ...found.map(({ fields }) => fields)));
  const others = isClosed ? [] : found.findLast((setting) => setting.endpoints)?.endpoints;
  const own = others ? { ...endpoints, endpoints: others } : endpoints;
  const failover = isClosed ? undefined : found.findLast((setting) => setting.failover)?.failover;
  return { backend: set, endpoints: withCheckPort(failover ? withFailover(own, failover) : own, set) };
}

/** To proxies, where an endpoint is asked is a part of the endpoint. */
function withCheckPort(endpoints: ir.Endpoints, { tuning, hostname }: ir.Backend): ir.Endpoints {
  const checkPort = hostname === undefined ? tuning?.activeCheck?.port : undefined;
  return checkPort === undefined ? endpoints : { ...endpoints, checkPort };
}

/** An address that is in several steps is in the first of them: to proxies it is one endpoint. */
function withFailover({ backend, endpoints }: ir.Endpoints, { steps, belowPercent }: Failover): ir.Endpoints {
  const later = steps.flatMap((step, index) => step.map((endpoint) => ({ ...endpoint, priority: index + 1 })));
  const places = new Map<string, ir.Endpoint>();
  for (const endpoint of [...endpoints, ...later]) {
    const place = `${endpoint.address} ${endpoint.port}`;
    if (!places.has(place)) places.set(place, endpoint);
  }
  return { backend, endpoints: [...places.values()], failoverBelow: belowPercent };
}

/** Content is compared as it is written: the order of its fields says which snapshot it is, in every replica and after every upgrade. */
function inOrder({ key, kind, namespace, service, port, protocol, tls, retryBudget, tuning, ...rest }: ir.Backend) {
  const known = { key, kind, namespace, service, port, protocol, tls, retryBudget };
  return defined<ir.Backend>({ ...known, ...rest, tuning });
}
