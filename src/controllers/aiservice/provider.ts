import type { BackendProvider, Lookup } from '../../graph/engine/index.ts';
import type { BackendKeyParts } from '../../graph/model/index.ts';
import type * as ir from '../../ir/index.ts';
import { aiRouteBackend, resolveAiService } from './ai-route.ts';
import { aiServiceBackend, keyOfAiService } from './ai-service.ts';

/** An AIService. Which of those that a rule names is asked, requests say: the rule has a backend of its own that chooses. */
export const aiServiceProvider: BackendProvider<'AIService'> = {
  sources: { ai: 'AIService', 'ai-route': 'HTTPRoute' },
  resolve: resolveAiService,
  keysOf: (object, store) => [keyOfAiService(object, store)],
  // What is reached through a listener within the proxy has no endpoints to be sent.
  contentOf(key, parts, lookup) {
    const backend = backendOf(key, parts, lookup);
    return backend && { backend, endpoints: { backend: key, endpoints: [] } };
  },
  isOnePerRule: true,
};

function backendOf(
  key: string,
  { namespace, service: name, port, source }: BackendKeyParts,
  lookup: Lookup,
): ir.Backend | undefined {
  if (source === 'ai-route') return aiRouteBackend(key, { namespace, name, rule: port }, lookup);
  const object = lookup.store.find('AIService', `${namespace}/${name}`);
  return object && aiServiceBackend(key, object, lookup.store);
}
