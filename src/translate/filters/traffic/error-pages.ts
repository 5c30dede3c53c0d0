import { create } from '@bufbuild/protobuf';
import type { Any } from '@bufbuild/protobuf/wkt';
import {
  HeaderValueOption_HeaderAppendAction as Append,
  CustomResponseSchema,
  HttpResponseLocalReplyMatchInputSchema,
  HttpResponseStatusCodeClassMatchInputSchema,
  HttpResponseStatusCodeMatchInputSchema,
  LocalResponsePolicySchema,
  packAny,
} from '../../../envoy/index.ts';
import type * as ir from '../../../ir/index.ts';
import { matches } from '../access/predicates.ts';
import type { Predicate } from '../slot.ts';
import { askedPages } from './page-script.ts';

const code = packAny(HttpResponseStatusCodeMatchInputSchema, create(HttpResponseStatusCodeMatchInputSchema));
const codeClass = packAny(
  HttpResponseStatusCodeClassMatchInputSchema,
  create(HttpResponseStatusCodeClassMatchInputSchema),
);
const localReply = packAny(HttpResponseLocalReplyMatchInputSchema, create(HttpResponseLocalReplyMatchInputSchema));

const is = (input: Any, value: string): Predicate => matches(input, { matchPattern: { case: 'exact', value } });

/** Which errors it is for. Envoy takes no `or` of a single predicate. */
function fits({ codes, classes, from }: ir.ErrorPage): Predicate {
  const statuses = [...codes.map((each) => is(code, String(each))), ...classes.map((each) => is(codeClass, each))];
  const [first, ...more] = statuses;
  const status: Predicate =
    first && more.length === 0 ? first : { matchType: { case: 'orMatcher', value: { predicate: statuses } } };
  if (!from) return status;
  const source = is(localReply, String(from === 'proxy'));
  return { matchType: { case: 'andMatcher', value: { predicate: [status, source] } } };
}

/** The page is text, and no format. */
function page({ status, contentType, body }: ir.ErrorPage): Any {
  const policy = create(LocalResponsePolicySchema, {
    ...(status !== undefined && { statusCode: status }),
    body: { specifier: { case: 'inlineString', value: body } },
    responseHeadersToAdd: [
      { header: { key: 'content-type', value: contentType }, appendAction: Append.OVERWRITE_IF_EXISTS_OR_ADD },
    ],
    responseCodeDetailsAction: { case: 'preserveResponseCodeDetails', value: true },
  });
  return packAny(LocalResponsePolicySchema, policy);
}

export function errorPages(pages: readonly (ir.ErrorPage | ir.AskedPage)[]): Any {
  const asked = pages.filter((each) => 'server' in each);
  if (asked.length > 0) return askedPages(asked);
  const matchers = pages
    .filter((each) => 'body' in each)
    .map((each) => ({
      predicate: fits(each),
      onMatch: { onMatch: { case: 'action' as const, value: { name: 'page', typedConfig: page(each) } } },
    }));
  const custom = create(CustomResponseSchema, {
    // A list without entries is rejected.
    ...(matchers.length > 0 && {
      customResponseMatcher: { matcherType: { case: 'matcherList', value: { matchers } } },
    }),
  });
  return packAny(CustomResponseSchema, custom);
}
