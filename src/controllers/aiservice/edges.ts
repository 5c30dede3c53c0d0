import { objectKey } from '../../gateway-api/index.ts';
import { type Change, type Edge, type Marking, versionsOf } from '../../graph/engine/index.ts';
import { markRoutesTo } from '../../graph/routes/index.ts';
import { type AiServiceObject, keyOfAiService } from './ai-service.ts';

const ownKeys = ({ metadata }: AiServiceObject, refs: readonly { readonly name: string }[] = []): string[] =>
  refs.map(({ name }) => objectKey(metadata.namespace ?? '', name));

/** What AIServices refer to, all of it in their own namespace. */
export const aiServiceEdges = {
  secret: {
    to: { Secret: (key) => key },
    targets: (service) => ownKeys(service, service.spec.auth && [service.spec.auth.secretRef]),
    marks: markAiService,
  },
  authority: {
    to: { ConfigMap: (key) => key },
    targets: (service) => ownKeys(service, service.spec.endpoint?.tls?.caCertificateRefs),
    marks: markAiService,
  },
  /** The model servers that it is. */
  pool: {
    to: { InferencePool: (key) => key },
    targets: (service) => ownKeys(service, service.spec.pool && [service.spec.pool]),
    marks: markAiService,
  },
  /** The services that are fallen back to. */
  fallback: {
    to: { AIService: (key) => key },
    targets: (service) => ownKeys(service, service.spec.fallback),
    marks: markUsers,
  },
} as const satisfies Record<string, Edge<'AIService'>>;

/** A service, and the routes that name it, for it is they that choose among services. */
function markUsers(service: string, marking: Marking): void {
  marking.dirty.markStatus('AIService', service);
  markRoutesTo(service, marking);
}

/** The same of those that fall back to it. */
function markAiService(service: string, marking: Marking): void {
  const { dirty, store, edges } = marking;
  const object = store.find('AIService', service);
  if (object) dirty.backends.add(keyOfAiService(object, store));
  for (const user of [service, ...edges.of(aiServiceEdges.fallback).sourcesOf(service)]) markUsers(user, marking);
}

export function markChangedAiService(change: Change<'AIService'>, marking: Marking): void {
  const { store } = marking;
  for (const object of versionsOf(change)) marking.dirty.backends.add(keyOfAiService(object, store));
  markUsers(change.key, marking);
}
