import type * as ir from '../../../ir/index.ts';
import { sourcesOfProvider } from './token-sources.ts';

/** A place where backends, and servers that are asked, must not find a credential. */
export interface Hidden {
  readonly source: ir.CredentialSource;
  /** JwtProvider.id: only of requests with a token that this provider verified. Without it: of every request. */
  readonly of?: string;
}

/** What stands in front of the credential in a header. */
export const prefixOf = (source: ir.CredentialSource): string | undefined =>
  source.kind === 'header' ? source.prefix : undefined;

/** Parts whose credentials no filter behind a level's own looks at. */
export type LastOf = ReadonlySet<ir.AccessPart>;

/** Removing it would break the request. */
const isKept = ({ kind, name }: ir.CredentialSource): boolean => kind === 'header' && name === 'host';

/** A single header, which the filter that verifies it can remove by itself: not every request has to pass a filter more. */
const inOneHeader = ([source, ...others]: readonly ir.CredentialSource[]): boolean =>
  source?.kind === 'header' && others.length === 0 && !isKept(source);

/** Without a token, or with one in another place, requests do not pass: so it is in that header, and nothing else is left there. */
export const removesToken = ({ optional, providers: [provider, ...others] }: ir.Jwt, last: LastOf): boolean =>
  last.has('jwt') &&
  !optional &&
  provider !== undefined &&
  others.length === 0 &&
  !provider.forwardToken &&
  inOneHeader(sourcesOfProvider(provider));

/** Passwords are in `authorization` too, and tokens may be in any header: both are looked at later. */
export const removesKey = (keys: ir.ApiKeys, last: LastOf): boolean =>
  last.has('apiKeys') &&
  !keys.forwardKey &&
  inOneHeader(keys.from) &&
  keys.from[0]?.name !== 'authorization' &&
  !mayBeToken(keys);

const likeTokens = new WeakMap<ir.ApiKeys, boolean>();

/** Whether one of the keys has the form of a token, so that other levels could verify it as one. Source: RFC 7515, 7.1. */
function mayBeToken(keys: ir.ApiKeys): boolean {
  const known = likeTokens.get(keys) ?? /\..*\./.test(Buffer.from(keys.keys.reveal()).toString());
  likeTokens.set(keys, known);
  return known;
}

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
