import { keyOf, type ObjectByKind, parseObjectKey } from '../../gateway-api/index.ts';
import type { AdminSources } from '../sources.ts';
import type { Finding } from './problem.ts';

/** Services of providers that ask for a credential and get none. */
export function* ofAIServices({ graph }: Pick<AdminSources, 'graph'>): Generator<Finding> {
  for (const service of graph.list('AIService')) {
    const found = credentialFinding(service);
    if (found) yield found;
  }
}

/** A `custom` provider, such as a model server of one's own, often needs none. */
export function credentialFinding(service: ObjectByKind['AIService']): Finding | undefined {
  const { auth, provider, pool } = service.spec;
  if (auth !== undefined || pool !== undefined || provider === 'custom') return undefined;
  return {
    code: 'ai_service_without_credential',
    object: { kind: 'AIService', ...parseObjectKey(keyOf(service)) },
    message: `it has no auth, so ${provider} gets the credential that the client sends, or none`,
  };
}
