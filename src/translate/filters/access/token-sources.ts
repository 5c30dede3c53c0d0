import type * as ir from '../../../ir/index.ts';

/** Written always: of a provider without any source Envoy also takes a token from the query. */
const bearer: ir.CredentialSource = { kind: 'header', name: 'authorization', prefix: 'Bearer ' };

export const sourcesOfProvider = ({ from }: ir.JwtProvider): readonly ir.CredentialSource[] =>
  from.length === 0 ? [bearer] : from;

/** Where tokens of any of the providers may be. */
export const sourcesOf = ({ providers }: ir.Jwt): readonly ir.CredentialSource[] =>
  providers.flatMap(sourcesOfProvider);
