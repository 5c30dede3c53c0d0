import type { ObjectByKind } from '../../../gateway-api/index.ts';
import type * as ir from '../../../ir/index.ts';
import { readJwks } from '../../../key-sets/index.ts';
import { madeOnce } from '../../policies/index.ts';
import { headerFaults, writtenHeaderFault } from './header-names.ts';
import { invalid, type PartDeps, type ResolvedPart, type Spec } from './part.ts';
import { ownProviderId } from './provider-id.ts';
import { describeData, labelAdvice, referred, secretText } from './referred-data.ts';
import { type FetchedKeys, remoteKeysOf, resolveRemoteKeys } from './remote-keys.ts';

type JwtSpec = NonNullable<Spec['jwt']>;
type ProviderSpec = JwtSpec['providers'][number];

const defaultKey = 'jwks.json';

/** A provider whose keys are missing closes all: without it its tokens would be denied as those of a stranger, and nothing would say why. */
export function resolveJwt({ optional = false, providers }: JwtSpec, deps: PartDeps): ResolvedPart<ir.Jwt> {
  const keys = providers.map((provider) => keysOf(provider, deps));
  const faults = [
    ...providers.flatMap(providerFaults),
    ...keys.flatMap((found) => found.fault ?? []),
    ...(providers.length === 0 ? ['jwt.providers: name one'] : []),
  ].map(invalid);
  const referenceFaults = keys.flatMap((found) => found.referenceFault ?? []);
  const backends = keys.flatMap((found) => found.backends ?? []);
  const missing = keys.filter((found) => found.keys === undefined);
  if (faults.length > 0 || missing.length > 0) {
    const isUnavailable = faults.length === 0 && missing.every((found) => found.isUnavailable);
    return { faults, referenceFaults, backends, ...(isUnavailable && { isUnavailable }) };
  }
  const made = providers.map((provider, index) => providerOf(provider, keys[index]?.keys ?? '', deps));
  return { value: { optional, providers: made }, referenceFaults, backends };
}

function keysOf(provider: ProviderSpec, { policy, store }: PartDeps): FetchedKeys {
  const { name, jwks } = provider;
  const { inline, secretRef, configMapRef } = jwks;
  const remote = remoteKeysOf(provider, policy);
  if (remote) return resolveRemoteKeys({ remote, provider, policy }, store);
  const once = (inputs: readonly unknown[], text: string) =>
    madeOnce(policy, `jwks ${name}`, inputs, () => readJwks(text));
  if (inline !== undefined) {
    const read = once([], inline);
    return 'keys' in read ? read : { fault: `jwt.providers ${name}: jwks.inline ${read.fault}` };
  }
  if (secretRef) {
    const found = referred('Secret', secretRef, policy, store);
    if ('fault' in found) return { referenceFault: found.fault };
    const { object } = found;
    const read = (key: string) => once([object], secretText(object, key) ?? '');
    return storedKeys('Secret', object, secretRef.key, read);
  }
  if (!configMapRef)
    return { fault: `jwt.providers ${name}: ${jwks.discovery ? 'discovery needs an issuer' : 'jwks has no keys'}` };
  const found = referred('ConfigMap', configMapRef, policy, store);
  if ('fault' in found) return { referenceFault: found.fault };
  const { object } = found;
  const read = (key: string) => once([object], configText(object.data, key) ?? '');
  return storedKeys('ConfigMap', object, configMapRef.key, read);
}

function storedKeys<K extends 'Secret' | 'ConfigMap'>(
  kind: K,
  object: ObjectByKind[K],
  key = defaultKey,
  read: (key: string) => ReturnType<typeof readJwks>,
): FetchedKeys {
  const keys = read(key);
  if ('keys' in keys) return keys;
  const message = `${key} of ${describeData(kind, object)} ${keys.fault}${labelAdvice(object, key, defaultKey)}`;
  return { referenceFault: { reason: `Invalid${kind}`, message } };
}

const configText = (data: Readonly<Record<string, string>> | undefined, key: string): string | undefined =>
  Object.hasOwn(data ?? {}, key) ? data?.[key] : undefined;

function providerFaults({ name, from, claimsToHeaders = [] }: ProviderSpec): string[] {
  const where = `jwt.providers ${name}`;
  const written = claimsToHeaders.map(({ header }) => header.toLowerCase());
  const twice = written.find((header, index) => written.indexOf(header) !== index);
  return [
    ...headerFaults(
      `${where}: from.headers`,
      (from?.headers ?? []).map((header) => header.name),
    ),
    ...claimsToHeaders.flatMap(({ header }, index) =>
      writtenHeaderFault(`${where}: claimsToHeaders[${index}]`, header),
    ),
    ...(twice === undefined ? [] : [`${where}: claimsToHeaders writes ${twice} twice: give each claim its own header`]),
  ];
}

function providerOf(spec: ProviderSpec, keys: string, { policy, readsClaims }: PartDeps): ir.JwtProvider {
  const { name, issuer, audiences = [], from, claimsToHeaders = [], forwardToken = false } = spec;
  const id = ownProviderId(name, policy);
  return {
    id,
    ...(issuer !== undefined && { issuer }),
    audiences,
    keys,
    from: [
      ...(from?.headers ?? []).map(
        ({ name: header, prefix }): ir.CredentialSource => ({
          kind: 'header',
          name: header.toLowerCase(),
          ...(prefix !== undefined && { prefix }),
        }),
      ),
      ...(from?.cookies ?? []).map((cookie): ir.CredentialSource => ({ kind: 'cookie', name: cookie })),
      ...(from?.queryParams ?? []).map((query): ir.CredentialSource => ({ kind: 'query', name: query })),
    ],
    forwardToken,
    claimsToHeaders: claimsToHeaders.map(({ claim, path, header }) => ({
      claim: path ?? [claim ?? ''],
      header: header.toLowerCase(),
    })),
    ...(readsClaims?.(id) && { claimsRead: true as const }),
  };
}
