import type * as ir from '../../ir/index.ts';
import type { BackendSettings, Lookup, Store } from '../engine/index.ts';
import { type BackendContent, defined, ownerOfBackend, parseBackendKey, providerKindOf } from '../model/index.ts';

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
  const resolved = lookup.store.providers.get(providerKindOf(parts)).contentOf(key, parts, lookup);
  const asked =
    resolved && parts.asked ? { ...resolved, backend: { ...resolved.backend, asked: parts.asked } } : resolved;
  return asked && withSettings(asked, ownerOfBackend(key), lookup, settings);
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
  return { backend: set, endpoints: others ? { ...endpoints, endpoints: others } : endpoints };
}

/** Content is compared as it is written: the order of its fields says which snapshot it is, in every replica and after every upgrade. */
function inOrder({ key, kind, namespace, service, port, protocol, tls, retryBudget, tuning, ...rest }: ir.Backend) {
  const known = { key, kind, namespace, service, port, protocol, tls, retryBudget };
  return defined<ir.Backend>({ ...known, ...rest, tuning });
}
