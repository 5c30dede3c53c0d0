import { create } from '@bufbuild/protobuf';
import type { Any } from '@bufbuild/protobuf/wkt';
import { IpSchema, packAny, RBACFilterSchema, SourceIPInputSchema } from '../../../envoy/index.ts';
import * as ir from '../../../ir/index.ts';
import type { FilterChoice, Predicate } from '../slot.ts';
import { apiKeys } from './api-keys.ts';
import { basicAuthChoices, basicAuthFilter } from './basic-auth.ts';
import { isMarked } from './client-certificates.ts';
import { type Hidden, hiddenKeys, hiddenTokens, type LastOf } from './hidden.ts';
import { jwt } from './jwt.ts';
import { header, matches, queryParam, regex, single } from './predicates.ts';
import { sourcesOf } from './token-sources.ts';

type Choice = FilterChoice['choices'][number];

/** Parts of which one is enough come before all others, which may look at the same credential. */
const noneLast: LastOf = new Set();

/**
 * Which filter a request meets is chosen by what it shows; whether that is right, the filter says. So a choice that is wrong denies, and no
 * request passes without a filter that verifies something. Without anything to show, it is asked for what a browser can ask its user for.
 */
export function anyOf({ allow = [], clientCertificates, ...any }: ir.AnyOf, level: string): FilterChoice {
  const basic = any.basicAuth && choice(showsPassword, basicAuthFilter(any.basicAuth));
  const key = any.apiKeys && choice(showsKey(any.apiKeys), apiKeys(any.apiKeys, noneLast));
  const token = any.jwt && choice(showsToken(any.jwt), jwt(any.jwt, noneLast));
  const [otherwise] = [basic, token, key].flatMap((each) => each ?? []);
  return {
    choices: [
      ...(allow.length > 0 ? [choice(comesFrom(allow), allPass())] : []),
      ...(clientCertificates ? [choice(isMarked(level), allPass())] : []),
      ...(any.basicAuth ? basicAuthChoices(any.basicAuth) : []),
      ...[basic, key, token].flatMap((each) => each ?? []),
    ],
    otherwise: otherwise?.filter ?? nonePass(),
  };
}

const choice = (predicate: Predicate, filter: Any): Choice => ({ predicate, filter });

/** How a request that was let in did it, in the order of the choices above, and what of it backends may not see. */
export interface Way {
  readonly predicate: Predicate;
  readonly hidden: readonly Hidden[];
}

export const waysOf = (any: ir.AnyOf, level: string): readonly Way[] => [
  ...(any.allow && any.allow.length > 0 ? [{ predicate: comesFrom(any.allow), hidden: [] }] : []),
  ...(any.clientCertificates ? [{ predicate: isMarked(level), hidden: [] }] : []),
  ...(any.basicAuth ? [{ predicate: showsPassword, hidden: [] }] : []),
  ...(any.apiKeys ? [{ predicate: showsKey(any.apiKeys), hidden: hiddenKeys(any.apiKeys) }] : []),
  ...(any.jwt ? [{ predicate: showsToken(any.jwt), hidden: hiddenTokens(any.jwt) }] : []),
];

/** Of clients with neither an address nor a certificate that is enough, where nothing else would be. */
const nonePass = (): Any => packAny(RBACFilterSchema, create(RBACFilterSchema, { rules: { policies: {} } }));

/** A filter that lets all pass. */
export const allPass = (): Any => packAny(RBACFilterSchema, create(RBACFilterSchema));

const basicCredential: ir.CredentialSource = { kind: 'header', name: 'authorization', prefix: 'Basic ' };

const showsKey = ({ from }: ir.ApiKeys): Predicate => shows(from);
const showsToken = (jwt: ir.Jwt): Predicate => shows(sourcesOf(jwt));

/** Whether a request has something in any of these places. */
const shows = (sources: readonly ir.CredentialSource[]): Predicate => {
  const predicates = sources.map(showsIn);
  const [only] = predicates;
  // Envoy rejects a list of one.
  if (predicates.length === 1 && only) return only;
  return { matchType: { case: 'orMatcher', value: { predicate: predicates } } };
};

const anything = '(?s).*';

function showsIn(source: ir.CredentialSource): Predicate {
  const { kind, name } = source;
  if (kind === 'query') return matches(queryParam(name), regex(anything));
  const input = header(kind === 'cookie' ? 'cookie' : name);
  if (kind === 'cookie') return matches(input, regex(`(?s)(.*[;,])?\\s*${ir.literalPattern(name)}=.*`));
  return source.prefix === undefined
    ? matches(input, regex(anything))
    : matches(input, { matchPattern: { case: 'prefix', value: source.prefix }, ignoreCase: true });
}

/** By the address that the listener's trusted hops give, as in fromNetwork. */
export const comesFrom = (networks: readonly ir.Cidr[]): Predicate => {
  const ranges = networks.map(({ address, prefixLength }) => ({ addressPrefix: address, prefixLen: prefixLength }));
  const matcher = packAny(IpSchema, create(IpSchema, { cidrRanges: ranges, statPrefix: 'client-ips' }));
  return single({
    input: { name: 'address', typedConfig: packAny(SourceIPInputSchema, create(SourceIPInputSchema)) },
    matcher: { case: 'customMatch', value: { name: 'networks', typedConfig: matcher } },
  });
};

const showsPassword: Predicate = shows([basicCredential]);
