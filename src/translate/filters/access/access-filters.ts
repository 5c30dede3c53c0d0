import { create } from '@bufbuild/protobuf';
import type { Any } from '@bufbuild/protobuf/wkt';
import {
  HeaderValueOption_HeaderAppendAction as Append,
  ExtAuthzSchema,
  HeaderMutationFilterSchema,
  HTTPFaultSchema,
  packAny,
} from '../../../envoy/index.ts';
import type * as ir from '../../../ir/index.ts';
import { afterRouting, extAuthz } from '../external-auth/ext-authz.ts';
import { headerValue } from '../header-edits/header-edits.ts';
import type { SlotContent } from '../slot.ts';
import { allPass, anyOf, comesFrom } from './any-of.ts';
import { apiKeys } from './api-keys.ts';
import { authorization } from './authorization.ts';
import { basicAuth } from './basic-auth.ts';
import { clientCertificates } from './client-certificates.ts';
import { clientIPs } from './client-ips.ts';
import { csrf } from './csrf.ts';
import type { LastOf } from './hidden.ts';
import { jwt } from './jwt.ts';
import { oidc } from './oidc.ts';

/**
 * By which the usual servers learn what was asked for, since they see a path of their own. What a client sends under these names never gets there, and
 * what backends see of it does not change.
 */
const requestAsked = [
  { key: 'x-forwarded-method', value: '%REQ(:METHOD)%' },
  { key: 'x-forwarded-proto', value: '%REQ(X-FORWARDED-PROTO)%' },
  { key: 'x-forwarded-host', value: '%REQ(:AUTHORITY)%' },
  { key: 'x-forwarded-uri', value: '%REQ(:PATH)%' },
  { key: 'x-forwarded-for', value: '%DOWNSTREAM_REMOTE_ADDRESS_WITHOUT_PORT%' },
  { key: 'x-original-url', value: '%REQ(X-FORWARDED-PROTO)%://%REQ(:AUTHORITY)%%REQ(:PATH)%' },
];

/** Clients whose address is enough meet no question. */
function askedServer({ exceptClientIPs, setHeaders = [], ...server }: ir.ForwardAuth): SlotContent {
  const added = [...requestAsked, ...setHeaders.map(headerValue)];
  const filter = packAny(ExtAuthzSchema, extAuthz(server, afterRouting, added));
  if (exceptClientIPs === undefined) return filter;
  return { choices: [{ predicate: comesFrom(exceptClientIPs), filter: allPass() }], otherwise: filter };
}

/** Envoy's filter for each part of an access policy. */
const makers: {
  readonly [P in ir.AccessPart]: (part: NonNullable<ir.Access[P]>, level: string, last: LastOf) => SlotContent;
} = {
  clientIPs,
  clientCertificates,
  csrf,
  oidc,
  any: anyOf,
  apiKeys: (keys, _level, last) => apiKeys(keys, last),
  basicAuth,
  jwt: (demanded, _level, last) => jwt(demanded, last),
  forwardAuth: askedServer,
  authorization,
};

/** A policy of a route is the same for all of its rules and matches. */
const known = new WeakMap<ir.Access, Map<string, SlotContent>>();

/** The filter for a part that a level demands; undefined where it demands nothing. A part that is not available lets no request in. */
export function accessFilter(
  part: ir.AccessPart,
  access: ir.Access,
  level: string,
  last: LastOf,
): SlotContent | undefined {
  const name = `${part} ${level} ${last.has(part)}`;
  const before = known.get(access)?.get(name);
  if (before) return before;
  const filter = access.closed?.includes(part)
    ? closed(access.unavailable?.includes(part) ? 503 : 500)
    : madeFrom(part, access, level, last);
  if (filter) known.set(access, (known.get(access) ?? new Map()).set(name, filter));
  return filter;
}

function madeFrom<P extends ir.AccessPart>(
  part: P,
  access: ir.Access,
  level: string,
  last: LastOf,
): SlotContent | undefined {
  const demanded = access[part];
  return demanded && makers[part](demanded as NonNullable<ir.Access[P]>, level, last);
}

/** Answers every request with this status. */
const closed = (status: number): Any =>
  packAny(
    HTTPFaultSchema,
    create(HTTPFaultSchema, {
      abort: { errorType: { case: 'httpStatus', value: status }, percentage: { numerator: 100 } },
    }),
  );

type Identified = Pick<ir.Access, 'oidc' | 'apiKeys' | 'basicAuth' | 'jwt'>;

/** Headers by which backends learn who a client is, of all parts that write some. */
export const identityHeaders = ({ any = {}, ...all }: ir.Access): readonly string[] =>
  [...new Set([...writtenBy(all), ...writtenBy(any)])].sort();

const writtenBy = ({ oidc: login, apiKeys: keys, basicAuth: basic, jwt: token }: Identified): readonly string[] => [
  ...[login?.forward.idTokenHeader, keys?.identityHeader, basic?.userHeader].flatMap((name) => name ?? []),
  ...(token?.providers.flatMap(({ claimsToHeaders }) => claimsToHeaders.map(({ header }) => header)) ?? []),
];

/** Removes what clients pretend to be: a part that does not run for a request would leave it. */
export const withoutIdentity = (headers: readonly string[]): Any =>
  packAny(
    HeaderMutationFilterSchema,
    create(HeaderMutationFilterSchema, {
      mutations: { requestMutations: headers.map((value) => ({ action: { case: 'remove' as const, value } })) },
    }),
  );

/** Writes each of these headers as another one has it; without that one there is none. */
export const withCopies = (copied: readonly { readonly from: string; readonly to: string }[]): Any =>
  packAny(
    HeaderMutationFilterSchema,
    create(HeaderMutationFilterSchema, {
      mutations: {
        requestMutations: copied.map(({ from, to }) => ({
          action: {
            case: 'append' as const,
            value: { header: { key: to, value: `%REQ(${from})%` }, appendAction: Append.OVERWRITE_IF_EXISTS_OR_ADD },
          },
        })),
      },
    }),
  );
