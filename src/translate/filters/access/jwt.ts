import { create, type MessageInitShape } from '@bufbuild/protobuf';
import type { Any } from '@bufbuild/protobuf/wkt';
import {
  JwtAuthenticationSchema,
  type JwtProviderSchema,
  type JwtRequirementSchema,
  packAny,
} from '../../../envoy/index.ts';
import type * as ir from '../../../ir/index.ts';
import { hiddenTokens, type LastOf, removesToken } from './hidden.ts';
import { sourcesOfProvider } from './token-sources.ts';

/** Where rules of any level find the claims of a token that was verified, by JwtProvider.id. */
export const jwtMetadata = 'envoy.filters.http.jwt_authn';

export function jwt(demanded: ir.Jwt, last: LastOf): Any {
  const { optional, providers } = demanded;
  // Other levels may want to see it too: what backends do not get is then taken out behind all of them.
  const forward = !removesToken(demanded, last);
  const dependsOnWho = new Set(hiddenTokens(demanded).map(({ of }) => of));
  const metadataOf = ({ id, claimsRead }: ir.JwtProvider) => (claimsRead || dependsOnWho.has(id) ? inMetadata(id) : {});
  const made = providers.map((provider) => [
    provider.id,
    { ...providerOf(provider), ...metadataOf(provider), forward },
  ]);
  const filter = create(JwtAuthenticationSchema, {
    providers: Object.fromEntries(made),
    rules: [
      {
        match: { pathSpecifier: { case: 'prefix', value: '/' } },
        requirementType: { case: 'requires', value: requirementOf(optional, providers) },
      },
    ],
  });
  return packAny(JwtAuthenticationSchema, filter);
}

/** Claims as rules find them. Envoy copies all of them for each request, so only where someone reads them. */
const inMetadata = (id: string) => ({
  payloadInMetadata: id,
  // Else `scope` is one string, and a rule for one of its words never matches.
  normalizePayloadInMetadata: { spaceDelimitedClaims: ['scope'] },
});

function requirementOf(
  optional: boolean,
  providers: readonly ir.JwtProvider[],
): MessageInitShape<typeof JwtRequirementSchema> {
  const requirements: MessageInitShape<typeof JwtRequirementSchema>[] = providers.map(({ id }) => ({
    requiresType: { case: 'providerName', value: id },
  }));
  if (optional) requirements.push({ requiresType: { case: 'allowMissing', value: {} } });
  const [only] = requirements;
  // Envoy rejects a list of one.
  return requirements.length === 1 && only ? only : { requiresType: { case: 'requiresAny', value: { requirements } } };
}

function providerOf(provider: ir.JwtProvider) {
  const { issuer = '', audiences, keys, claimsToHeaders } = provider;
  const sources = sourcesOfProvider(provider);
  return {
    issuer,
    audiences: [...audiences],
    jwksSourceSpecifier: { case: 'localJwks', value: { specifier: { case: 'inlineString', value: keys } } },
    fromHeaders: sources.flatMap((source) =>
      source.kind === 'header' ? [{ name: source.name, valuePrefix: source.prefix ?? '' }] : [],
    ),
    fromParams: namesOf('query', sources),
    fromCookies: namesOf('cookie', sources),
    jwtCacheConfig: {},
    claimToHeaders: claimsToHeaders.map(({ claim, header }) => ({
      headerName: header,
      claimPath: claim.map((key) => ({ key })),
    })),
  } satisfies MessageInitShape<typeof JwtProviderSchema>;
}

const namesOf = (kind: ir.CredentialSource['kind'], sources: readonly ir.CredentialSource[]): string[] =>
  sources.filter((source) => source.kind === kind).map(({ name }) => name);
