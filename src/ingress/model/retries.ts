import type { LocationRules } from './location.ts';
import type { ModelRequest, Retries } from './request.ts';

const unsafe: readonly string[] = ['POST', 'PATCH', 'LOCK'];

/** `off` wins over all other words. */
export function retriesOf({ nextUpstream: { when, tries } }: LocationRules, { method }: ModelRequest): Retries {
  const words = when.split(/\s+/).filter((word) => word !== '');
  if (words.includes('off')) return { tries: 1, after: [], isOnce: true };
  return {
    tries,
    after: words.filter((word) => word !== 'non_idempotent'),
    isOnce: unsafe.includes(method) && !words.includes('non_idempotent'),
  };
}
