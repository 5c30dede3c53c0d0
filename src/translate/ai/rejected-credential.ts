import { create, type JsonObject } from '@bufbuild/protobuf';
import type { Any } from '@bufbuild/protobuf/wkt';
import {
  HeaderValueOption_HeaderAppendAction as Append,
  CustomResponseSchema,
  HttpResponseStatusCodeMatchInputSchema,
  LocalResponsePolicySchema,
  packAny,
} from '../../envoy/index.ts';
import { type HttpFilter, httpFilter } from '../resource/index.ts';

/** Answers that are about the credential, which is ours and not the client's. Providers quote it in them. */
const statuses = [401, 403, 407];

const name = 'gatewright.ai.refused-credential';

const message =
  'the provider of the model rejected what the gateway asked in your name; its reason may quote a credential and is not passed on';

/**
 * Puts words of our own in the place of a provider's rejection, with its status. Stands first, so that it sees answers last and nothing comes behind
 * it; other answers pass it by their status alone.
 */
export const hideRejections = (): HttpFilter =>
  httpFilter(name, inWords({ error: { ...rejection, param: null, code } }));

const code = 'provider_refused';
const rejection = { message, type: 'authentication_error' };

/** For routes whose clients speak to Anthropic's API, as `typed_per_filter_config`. */
export const inAnthropicWords: Readonly<Record<string, Any>> = {
  [name]: inWords({ type: 'error', error: { type: rejection.type, message } }),
};

function inWords(body: JsonObject): Any {
  const policy = create(LocalResponsePolicySchema, {
    body: { specifier: { case: 'inlineString', value: JSON.stringify(body) } },
    responseHeadersToAdd: [
      {
        header: { key: 'content-type', value: 'application/json' },
        appendAction: Append.OVERWRITE_IF_EXISTS_OR_ADD,
      },
    ],
  });
  const onMatch = {
    onMatch: {
      case: 'action' as const,
      value: { name: 'hide', typedConfig: packAny(LocalResponsePolicySchema, policy) },
    },
  };
  const input = {
    name: 'status',
    typedConfig: packAny(HttpResponseStatusCodeMatchInputSchema, create(HttpResponseStatusCodeMatchInputSchema)),
  };
  const map = Object.fromEntries(statuses.map((status) => [String(status), onMatch]));
  return packAny(
    CustomResponseSchema,
    create(CustomResponseSchema, {
      customResponseMatcher: {
        matcherType: {
          case: 'matcherTree',
          value: { input, treeType: { case: 'exactMatchMap', value: { map } } },
        },
      },
    }),
  );
}
