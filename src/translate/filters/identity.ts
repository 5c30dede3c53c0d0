import type * as ir from '../../ir/index.ts';
import { whoHeaders } from './limits/who.ts';

/** In the place of a slot's name, of what routes use: with it, filters of the table say whose a request is. */
export const identityUse = 'gatewright.identity';

/** What policies demand, whose filters say whose a request is. */
interface Identifying extends ir.Access {
  /** From the headers by which backends learn it, since Envoy's filters write one each. */
  readonly copied: readonly Copy[];
}
interface Copy {
  readonly from: string;
  readonly to: string;
}

type Parts = Pick<ir.Access, 'apiKeys' | 'basicAuth' | 'jwt'>;

/** By what is demanded, which is the same for all rules and matches of a policy's target. */
const known = new WeakMap<ir.Access, ir.Access>();

export function identifying<A extends ir.Access>(access: A): A {
  const before = known.get(access) ?? make(access);
  known.set(access, before);
  return before as A;
}

function make(access: ir.Access): ir.Access {
  const { any } = access;
  const [own, ofAny] = [partsOf(access), any && partsOf(any)];
  if (!own && !ofAny) return access;
  const made: Identifying = {
    ...access,
    ...own?.parts,
    ...(any && { any: { ...any, ...ofAny?.parts } }),
    copied: [...(own?.copied ?? []), ...(ofAny?.copied ?? [])],
  };
  return made;
}

/** Undefined: none of them says whose a request is. */
function partsOf({ apiKeys, basicAuth, jwt }: Parts): { parts: Parts; copied: readonly Copy[] } | undefined {
  if (!apiKeys && !basicAuth && !jwt) return undefined;
  const { identityHeader = whoHeaders.client } = apiKeys ?? {};
  const { userHeader = whoHeaders.user } = basicAuth ?? {};
  return {
    parts: {
      ...(apiKeys && { apiKeys: { ...apiKeys, identityHeader } }),
      ...(basicAuth && { basicAuth: { ...basicAuth, userHeader } }),
      ...(jwt && { jwt: { ...jwt, providers: jwt.providers.map(saying) } }),
    },
    copied: [
      ...(apiKeys?.identityHeader ? [{ from: identityHeader, to: whoHeaders.client }] : []),
      ...(basicAuth?.userHeader ? [{ from: userHeader, to: whoHeaders.user }] : []),
    ],
  };
}

const saying = ({ claimsToHeaders, ...provider }: ir.JwtProvider): ir.JwtProvider => ({
  ...provider,
  claimsToHeaders: [
    ...claimsToHeaders,
    { claim: ['iss'], header: whoHeaders.issuer },
    { claim: ['sub'], header: whoHeaders.subject },
  ],
});

/** What is copied once credentials are verified. */
export const copiedHeaders = (access: ir.Access | Identifying): readonly Copy[] =>
  'copied' in access ? access.copied : [];
