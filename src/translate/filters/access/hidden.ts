import type * as ir from '../../../ir/index.ts';
import { sourcesOfProvider } from './jwt.ts';

/** A place where backends, and servers that are asked, must not find a credential. */
export interface Hidden {
  readonly source: ir.CredentialSource;
  /** JwtProvider.id: only of requests with a token that this provider verified. Without it: of every request. */
  readonly of?: string;
}

/** What stands in front of the credential in a header. */
export const prefixOf = (source: ir.CredentialSource): string | undefined =>
  source.kind === 'header' ? source.prefix : undefined;

/** Removing it would break the request. */
const isKept = ({ kind, name }: ir.CredentialSource): boolean => kind === 'header' && name === 'host';

export const hiddenKeys = ({ from, forwardKey }: ir.ApiKeys): readonly Hidden[] =>
  forwardKey ? [] : from.flatMap((source) => (isKept(source) ? [] : { source }));

/** In a place where tokens of other providers are to be forwarded, it depends on who verified one. */
export function hiddenTokens({ providers }: ir.Jwt): readonly Hidden[] {
  const places = providers.flatMap((provider) =>
    sourcesOfProvider(provider).map((source) => ({ provider, source, place: `${source.kind} ${source.name}` })),
  );
  const forwarded = new Set(places.flatMap(({ provider, place }) => (provider.forwardToken ? place : [])));
  return places.flatMap(({ provider: { id, forwardToken }, source, place }) =>
    forwardToken || isKept(source) ? [] : { source, ...(forwarded.has(place) && { of: id }) },
  );
}
