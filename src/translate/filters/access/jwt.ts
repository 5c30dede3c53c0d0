import { create, type MessageInitShape } from '@bufbuild/protobuf';
import type { Any } from '@bufbuild/protobuf/wkt';
import {
  JwtAuthenticationSchema,
  type JwtProviderSchema,
  type JwtRequirementSchema,
  packAny,
} from '../../../envoy/index.ts';
import type * as ir from '../../../ir/index.ts';

/** Where rules of any level find the claims of a token that was verified, by JwtProvider.id. */
export const jwtMetadata = 'envoy.filters.http.jwt_authn';

/** Written always: of a provider without any source Envoy also takes a token from the query. */
const bearer: ir.CredentialSource = { kind: 'header', name: 'authorization', prefix: 'Bearer ' };

export const jwt = ({ optional, providers }: ir.Jwt): Any =>
  packAny(
    JwtAuthenticationSchema,
    create(JwtAuthenticationSchema, {
      providers: Object.fromEntries(providers.map((provider) => [provider.id, providerOf(provider)])),
      rules: [
        {
          match: { pathSpecifier: { case: 'prefix', value: '/' } },
          requirementType: { case: 'requires', value: requirementOf(optional, providers) },
        },
      ],
    }),
  );

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

function providerOf(provider: ir.JwtProvider): MessageInitShape<typeof JwtProviderSchema> {
  const { id, issuer = '', audiences, keys, claimsToHeaders } = provider;
  const sources = sourcesOfProvider(provider);
  return {
    issuer,
    audiences: [...audiences],
    jwksSourceSpecifier: { case: 'localJwks', value: { specifier: { case: 'inlineString', value: keys } } },
    // Other levels want to see it too: what backends do not get is taken out behind all of them.
    forward: true,
    fromHeaders: sources.flatMap((source) =>
      source.kind === 'header' ? [{ name: source.name, valuePrefix: source.prefix ?? '' }] : [],
    ),
    fromParams: namesOf('query', sources),
    fromCookies: namesOf('cookie', sources),
    payloadInMetadata: id,
    // Else `scope` is one string, and a rule for one of its words never matches.
    normalizePayloadInMetadata: { spaceDelimitedClaims: ['scope'] },
    jwtCacheConfig: {},
    claimToHeaders: claimsToHeaders.map(({ claim, header }) => ({
      headerName: header,
      claimPath: claim.map((key) => ({ key })),
    })),
  };
}

export const sourcesOfProvider = ({ from }: ir.JwtProvider): readonly ir.CredentialSource[] =>
  from.length === 0 ? [bearer] : from;

/** Where tokens of any of the providers may be. */
export const sourcesOf = ({ providers }: ir.Jwt): readonly ir.CredentialSource[] =>
  providers.flatMap(sourcesOfProvider);

const namesOf = (kind: ir.CredentialSource['kind'], sources: readonly ir.CredentialSource[]): string[] =>
  sources.filter((source) => source.kind === kind).map(({ name }) => name);
