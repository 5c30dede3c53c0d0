import { type Condition, objectKey } from '../../gateway-api/index.ts';
import type { StoredObjects } from '../../graph/engine/index.ts';
import { type ConditionFault, combineFaults, conditionOf } from '../../graph/model/index.ts';
import { type AiServiceObject, resolveAiReferences } from './ai-service.ts';

/** The conditions of an AIService. `ResolvedRefs` False: it is not asked; a missing fallback is only passed by. */
export function aiServiceConditions(object: AiServiceObject, store: StoredObjects): readonly Condition[] {
  const generation = object.metadata.generation ?? 0;
  const { acceptFault, referenceFault } = resolveAiReferences(object, store);
  const references = combineFaults([...(referenceFault ? [referenceFault] : []), ...missingFallbacks(object, store)]);
  return [
    conditionOf('Accepted', generation, acceptFault ?? selfFallback(object), remark(object)),
    conditionOf('ResolvedRefs', generation, references),
  ];
}

function selfFallback({ metadata, spec }: AiServiceObject): ConditionFault | undefined {
  if (!spec.fallback?.some(({ name }) => name === metadata.name)) return undefined;
  return { reason: 'Invalid', message: 'fallback names the service itself: name another one' };
}

const missingFallbacks = ({ metadata, spec }: AiServiceObject, store: StoredObjects): ConditionFault[] =>
  (spec.fallback ?? []).flatMap(({ name }) => {
    const key = objectKey(metadata.namespace ?? '', name);
    if (store.find('AIService', key)) return [];
    return [{ reason: 'FallbackNotFound', message: `AIService ${key}, a fallback, does not exist` }];
  });

function remark({ spec: { endpoint, auth } }: AiServiceObject): Partial<ConditionFault> {
  if (endpoint?.tls?.mode !== 'None' || !auth) return {};
  return { message: `The credential travels to ${endpoint.hostname} unencrypted: set endpoint.tls.mode to Simple` };
}
