import type * as ir from '../../ir/index.ts';
import type { BackendSettings } from '../engine/index.ts';
import { parseBackendKey } from '../model/index.ts';
import type { BackendLookup } from './backend.ts';

/** What a backend allows of default retries. A listener within the proxy does its own: a request would be repeated at two places. */
export function retriesOfBackend(
  key: string,
  settings: readonly BackendSettings[],
  lookup: BackendLookup,
): ir.RetryLimit | undefined {
  const { source } = parseBackendKey(key);
  if (source === 'ai' || source === 'ai-route') return 'never';
  const owner = lookup.store.providers.ownerOf(key);
  const [limit] = settings.flatMap(({ retriesOf }) => retriesOf?.(owner, lookup) ?? []);
  return limit;
}
