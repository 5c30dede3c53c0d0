import { create, type MessageInitShape } from '@bufbuild/protobuf';
import {
  HeaderValueOption_HeaderAppendAction as Append,
  ExtensionWithMatcherSchema,
  HeaderMutationFilterSchema,
  HttpRequestHeaderMatchInputSchema,
  type Matcher_MatcherList_PredicateSchema,
  packAny,
  SkipFilterSchema,
} from '../../envoy/index.ts';
import { type HttpFilter, httpFilter } from './http-filter.ts';
import { retryOnHeader } from './retries.ts';

type Predicate = MessageInitShape<typeof Matcher_MatcherList_PredicateSchema>;

/** RFC 9110 §9.2.1; TRACE is never repeated. */
const safeMethods = ['GET', 'HEAD', 'OPTIONS'];

/**
 * A safe method is also repeated when its connection ended without an answer: an endpoint that exits takes along what it had begun. A policy
 * has one condition for all methods, so it cannot say this. A matcher finds the method: an expression (CEL) took a tenth of Envoy's CPU for a request.
 */
export function repeatSafeMethods(): HttpFilter {
  const header = { key: retryOnHeader, value: 'reset' };
  const mutation = create(HeaderMutationFilterSchema, {
    mutations: {
      requestMutations: [
        { action: { case: 'append', value: { header, appendAction: Append.OVERWRITE_IF_EXISTS_OR_ADD } } },
      ],
    },
  });
  const skipped = { name: 'skip', typedConfig: packAny(SkipFilterSchema, create(SkipFilterSchema)) };
  const filter = create(ExtensionWithMatcherSchema, {
    extensionConfig: { name, typedConfig: packAny(HeaderMutationFilterSchema, mutation) },
    xdsMatcher: {
      matcherType: {
        case: 'matcherList',
        value: {
          matchers: [{ predicate: isUnsafe(), onMatch: { onMatch: { case: 'action', value: skipped } } }],
        },
      },
    },
  });
  return httpFilter(name, packAny(ExtensionWithMatcherSchema, filter));
}

const name = 'gatewright.safe-methods';

function isUnsafe(): Predicate {
  const method = create(HttpRequestHeaderMatchInputSchema, { headerName: ':method' });
  const input = { name: 'method', typedConfig: packAny(HttpRequestHeaderMatchInputSchema, method) };
  const isOne = (value: string): Predicate => ({
    matchType: {
      case: 'singlePredicate',
      value: {
        input,
        matcher: { case: 'valueMatch', value: { matchPattern: { case: 'exact', value } } },
      },
    },
  });
  return {
    matchType: {
      case: 'notMatcher',
      value: { matchType: { case: 'orMatcher', value: { predicate: safeMethods.map(isOne) } } },
    },
  };
}
