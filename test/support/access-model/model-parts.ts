import { areNames, isHeld } from './model-certificates.ts';
import { isPath } from './model-paths.ts';
import { isIn, isNetwork } from './networks.ts';
import type { Facts } from './request-facts.ts';
import type { Policy, World } from './world.ts';

/** What single parts say of a request: the statuses by which it may be denied; undefined: it goes on. What is wrong is said first, whatever the request. */

type Spec = Policy['spec'];
export type Denied = readonly number[] | undefined;
export const closed: Denied = [500];

export function clientIPs({ allow, deny = [] }: NonNullable<Spec['clientIPs']>, { client }: Facts): Denied {
  if (![...(allow ?? []), ...deny].every(isNetwork)) return closed;
  if (isIn(client, deny)) return [403];
  return allow === undefined || isIn(client, allow) ? undefined : [403];
}

export function clientCertificates(demanded: NonNullable<Spec['clientCertificates']>, { ask }: Facts): Denied {
  if (!areNames(demanded)) return closed;
  return isHeld(demanded, ask.certificate) ? undefined : [403];
}

export function csrf({ additionalOrigins = [], shadow }: NonNullable<Spec['csrf']>, { ask, authority }: Facts): Denied {
  if (shadow || ['GET', 'HEAD', 'OPTIONS'].includes(ask.method)) return undefined;
  const source = (ask.origin ?? ask.referer)?.replace(/^https?:\/\//, '').replace(/\/.*$/, '');
  if (!source) return [403];
  const isNamed = additionalOrigins.some((origin) =>
    origin.startsWith('*.') ? source.endsWith(origin.slice(1)) && source !== origin.slice(2) : source === origin,
  );
  return source === authority || isNamed ? undefined : [403];
}

type SecretRef = NonNullable<Spec['apiKeys']>['secretRefs'][number];

/** Of other namespaces only `granted` lets policies of this one refer to its Secrets. */
const secretOf = ({ name, namespace }: SecretRef, { secrets }: World) =>
  namespace === undefined || namespace === 'granted' ? secrets[namespace ? `${namespace}/${name}` : name] : undefined;

export function apiKeys(
  { secretRefs, from, identityHeader }: NonNullable<Spec['apiKeys']>,
  world: World,
  { ask }: Facts,
): Denied {
  if (identityHeader?.startsWith('x-forwarded-')) return closed;
  const secrets = secretRefs.map((ref) => secretOf(ref, world));
  if (secrets.some((secret) => secret === undefined)) return closed;
  const entries = secrets.flatMap((secret) => Object.entries(secret ?? {}));
  const clientsOf = (key: string) => new Set(entries.filter(([, other]) => other === key).map(([client]) => client));
  const usable = entries.filter(([, key]) => key !== '' && clientsOf(key).size === 1).map(([, key]) => key);
  if (usable.length === 0) return closed;
  const { key } = ask;
  return key && placesOfKey({ from }).includes(key.in) && usable.includes(key.value) ? undefined : [401];
}

export const placesOfKey = ({ from }: Pick<NonNullable<Spec['apiKeys']>, 'from'>): readonly string[] =>
  from.map(({ header, query }) => header ?? (query === undefined ? 'cookie' : 'query'));

/** A token has the place of a password. */
export const showsPassword = ({ user, token }: Facts['ask']): boolean =>
  user !== undefined && token?.in !== 'authorization';

const passwords: Readonly<Record<string, string>> = { ann: 'secret', bob: 'other' };

/** Lines in a format that is checked, and whole. */
const isChecked = (line: string): boolean => /:(\{SHA\}.{28}|\$2y\$.{56}|\$apr1\$.{8}\$.{22})$/.test(line);

export function basicAuth({ secretRef }: NonNullable<Spec['basicAuth']>, world: World, { ask }: Facts): Denied {
  const { user } = ask;
  const secret = secretOf(secretRef, world);
  const lines = (secret?.[secretRef.key ?? '.htpasswd'] ?? '').split('\n');
  const users = lines.filter(isChecked).map((line) => line.slice(0, line.indexOf(':')));
  if (users.length === 0) return closed;
  if (!user || !showsPassword(ask)) return [401];
  return users.includes(user.name) && passwords[user.name] === user.password ? undefined : [401];
}

/** The server `auth` decides by a header; `dead` has no endpoints; others do not exist. */
export function forwardAuth(spec: NonNullable<Spec['forwardAuth']>, { ask, client }: Facts): Denied {
  const { backendRef, failOpen, statusOnError = 503, exceptClientIPs = [] } = spec;
  if (!exceptClientIPs.every(isNetwork) || !['auth', 'dead'].includes(backendRef.name)) return closed;
  if (isIn(client, exceptClientIPs)) return undefined;
  if (backendRef.name === 'dead') return failOpen ? undefined : [statusOnError];
  return ask.consent === 'yes' ? undefined : [418];
}

/** No request of the model has a login. Browsers keep one for HTTPS alone. */
export function oidc(
  { client, denyRedirect = [], passThrough = [] }: NonNullable<Spec['oidc']>,
  world: World,
  facts: Facts,
): Denied {
  if (secretOf(client.secretRef, world)?.['client-secret'] === undefined) return closed;
  const fits = ({ path, header }: (typeof denyRedirect)[number]): boolean =>
    path ? isPath(path, facts.path) : isShown(header?.name ?? '', facts);
  if (passThrough.some(fits)) return undefined;
  return facts.isTls && !denyRedirect.some(fits) ? [302] : [401];
}

const isShown = (header: string, { ask: { key, token, team } }: Facts): boolean =>
  key?.in === header || token?.in === header || (header === 'x-team' && team !== undefined);
