import { create, type MessageInitShape } from '@bufbuild/protobuf';
import type { Any } from '@bufbuild/protobuf/wkt';
import {
  HttpRequestHeaderMatchInputSchema,
  HttpRequestQueryParamMatchInputSchema,
  packAny,
  type XdsStringMatcherSchema,
} from '../../../envoy/index.ts';
import type { Predicate } from '../slot.ts';

type StringMatcher = MessageInitShape<typeof XdsStringMatcherSchema>;

/** Of several lines of one header, Envoy compares all of them with commas in between. */
export const header = (headerName: string): Any =>
  packAny(HttpRequestHeaderMatchInputSchema, create(HttpRequestHeaderMatchInputSchema, { headerName }));

export const queryParam = (name: string): Any =>
  packAny(HttpRequestQueryParamMatchInputSchema, create(HttpRequestQueryParamMatchInputSchema, { queryParam: name }));

/** The whole text. */
export const regex = (value: string): StringMatcher => ({
  matchPattern: { case: 'safeRegex', value: { regex: value, engineType: { case: 'googleRe2', value: {} } } },
});

export const matches = (input: Any, value: StringMatcher): Predicate =>
  single({ input: { name: 'shown', typedConfig: input }, matcher: { case: 'valueMatch', value } });

export const single = (value: Extract<Predicate['matchType'], { case: 'singlePredicate' }>['value']): Predicate => ({
  matchType: { case: 'singlePredicate', value },
});
