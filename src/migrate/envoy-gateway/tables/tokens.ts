import type { Visit } from '../../kit/table.ts';
import { type Fields, fieldsOf, listOf, millisecondsOf, textAt, textOf, textsOf } from '../../kit/values.ts';
import { claimOf } from './authorization.ts';
import { serverFields, serverOf } from './backend-ref.ts';

export const providerFields: readonly string[] = [
  '[].name',
  '[].issuer',
  '[].audiences',
  '[].claimToHeaders',
  '[].extractFrom',
  '[].localJWKS',
  '[].recomputeRoute',
  ...['uri', 'cacheDuration', 'failedRefetchDuration', ...serverFields].map((field) => `[].remoteJWKS.${field}`),
];

/** Providers of tokens. */
export function providersOf(value: unknown, visit: Visit): void {
  const made: Fields[] = [];
  visit.each(value, (provider, at) => {
    const { audiences, claimToHeaders, extractFrom, recomputeRoute } = provider;
    if (recomputeRoute === true) at.at('recomputeRoute').lose('a request keeps its route, whatever its token says');
    const issuer = textAt(provider, 'issuer');
    const jwks = keysOf(provider, at);
    if (jwks === undefined) return;
    made.push({
      name: textOf(provider.name),
      ...(issuer !== undefined && issuer !== '' && { issuer }),
      ...(audiences !== undefined && { audiences: textsOf(audiences) }),
      jwks,
      from: extractFrom === undefined ? usual : placesOf(fieldsOf(extractFrom)),
      ...(claimToHeaders !== undefined && {
        claimsToHeaders: listOf(claimToHeaders).map((item) => {
          const { claim, header } = fieldsOf(item);
          return { ...claimOf(textOf(claim), 'claim'), header: textOf(header) };
        }),
      }),
      forwardToken: true,
    });
  });
  visit.set('AccessPolicy.jwt.providers', made);
}

/** Where Envoy looks for a token that nothing is said of. */
const usual = { headers: [{ name: 'Authorization', prefix: 'Bearer ' }], queryParams: ['access_token'] };

function placesOf({ headers, cookies, params }: Fields): Fields {
  return {
    ...(headers !== undefined && {
      headers: listOf(headers).map((item) => {
        const { name, valuePrefix } = fieldsOf(item);
        return { name: textOf(name), ...(valuePrefix !== undefined && { prefix: textOf(valuePrefix) }) };
      }),
    }),
    ...(cookies !== undefined && { cookies: textsOf(cookies) }),
    ...(params !== undefined && { queryParams: textsOf(params) }),
  };
}

function keysOf({ localJWKS, remoteJWKS }: Fields, visit: Visit): Fields | undefined {
  if (localJWKS !== undefined) {
    const { inline, valueRef } = fieldsOf(localJWKS);
    if (inline !== undefined) return { inline: textOf(inline) };
    const { name, kind = 'ConfigMap' } = fieldsOf(valueRef);
    if (kind === 'ConfigMap') {
      visit
        .at('localJWKS.valueRef')
        .note(
          'decision',
          `the ConfigMap ${textOf(name)} needs the label gatewright.dev/credentials=true, since its key is jwks`,
        );
      return { configMapRef: { name: textOf(name), key: 'jwks' } };
    }
    visit.at('localJWKS.valueRef').lose(`names a ${textOf(kind)}`);
    return undefined;
  }
  const remote = fieldsOf(remoteJWKS);
  const at = visit.at('remoteJWKS');
  const url = textOf(remote.uri);
  if (remote.failedRefetchDuration !== undefined)
    at.at('failedRefetchDuration').note(
      'differs',
      'after a failure, keys are asked for again in 4 seconds, then in growing waits',
    );
  const server = serverOf(remote, at);
  const cache = cacheDurationOf(remote, at);
  if (server !== undefined) return { backendRef: { ...server, path: pathOf(url) }, ...cache };
  if (remote.backendRef !== undefined || remote.backendRefs !== undefined) return undefined;
  if (url.startsWith('https://')) return { url, ...cache };
  at.at('uri').lose('is not https: keys of the internet are fetched by TLS alone');
  return undefined;
}

/** Ours is from a minute to a day. */
function cacheDurationOf({ cacheDuration }: Fields, visit: Visit): Fields {
  if (cacheDuration === undefined) return {};
  const ms = millisecondsOf(cacheDuration);
  if (ms >= 60_000 && ms <= 86_400_000) return { cacheDuration: textOf(cacheDuration) };
  visit
    .at('cacheDuration')
    .note('differs', 'keys are fetched again after a minute at the earliest, and a day at the latest');
  return { cacheDuration: ms < 60_000 ? '1m' : '24h' };
}

const pathOf = (url: string): string => {
  const parsed = URL.parse(url);
  return parsed === null ? '/' : parsed.pathname + parsed.search;
};
