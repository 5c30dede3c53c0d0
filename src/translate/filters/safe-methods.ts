import { create } from '@bufbuild/protobuf';
import {
  HeaderValueOption_HeaderAppendAction as Append,
  ExtensionWithMatcherSchema,
  HeaderMutationFilterSchema,
  packAny,
  SkipFilterSchema,
} from '../../envoy/index.ts';
import { type HttpFilter, httpFilter, retryOnHeader } from '../resource/index.ts';
import { header, matches } from './access/predicates.ts';
import type { Predicate } from './slot.ts';

const name = 'gatewright.safe-methods';

/** RFC 9110 §9.2.1; TRACE is never repeated. */
const safeMethods = ['GET', 'HEAD', 'OPTIONS'];

const isSafe: readonly Predicate[] = safeMethods.map((value) =>
  matches(header(':method'), { matchPattern: { case: 'exact', value } }),
);

const isUnsafe: Predicate = {
  matchType: { case: 'notMatcher', value: { matchType: { case: 'orMatcher', value: { predicate: [...isSafe] } } } },
};

/**
 * A safe method is also repeated when its connection ended without an answer: an endpoint that exits takes along what it had begun. A policy
 * has one condition for all methods, so it cannot say this. A matcher finds the method: an expression (CEL) took a tenth of Envoy's CPU for a request.
 */
export function repeatSafeMethods(): HttpFilter {
  const written = { key: retryOnHeader, value: 'reset' };
  const append = { header: written, appendAction: Append.OVERWRITE_IF_EXISTS_OR_ADD };
  const mutation = create(HeaderMutationFilterSchema, {
    mutations: { requestMutations: [{ action: { case: 'append', value: append } }] },
  });
  const skipped = { name: 'skip', typedConfig: packAny(SkipFilterSchema, create(SkipFilterSchema)) };
  const filter = create(ExtensionWithMatcherSchema, {
    extensionConfig: { name, typedConfig: packAny(HeaderMutationFilterSchema, mutation) },
    xdsMatcher: {
      matcherType: {
        case: 'matcherList',
        value: { matchers: [{ predicate: isUnsafe, onMatch: { onMatch: { case: 'action', value: skipped } } }] },
      },
    },
  });
  return httpFilter(name, packAny(ExtensionWithMatcherSchema, filter));
}
