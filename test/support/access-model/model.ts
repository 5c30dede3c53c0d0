import { demandsOf } from './levels.ts';
import { authorizationVerdict, type Verified } from './model-authorization.ts';
import { areNames, isHeld } from './model-certificates.ts';
import { jwtVerdict } from './model-jwt.ts';
import { letIn } from './model-seen.ts';
import { isIn, isNetwork } from './networks.ts';
import { clientOf, type Facts, hostOf, pathOf } from './request-facts.ts';
import type { Ask, Part, Policy, World } from './world.ts';

/**
 * What docs/access-policies.md says of a request: the answers that it may get, each a status, and of 200 also the credentials that backends see: see
 * letIn. Written from that page alone. There is more than one where the page leaves it open.
 */
export function verdictsOf(world: World, host: number, ask: Ask): ReadonlySet<string> {
  if (/%2f|%5c/i.test(ask.path)) return new Set(['307']);
  const facts: Facts = { ask, path: pathOf(ask), client: clientOf(ask), authority: hostOf(world, host, ask) };
  const verdicts = new Set<string>();
  let paths: readonly Verified[] = [new Map()];
  const demands = demandsOf(world, host, facts.path);
  for (const { part, policy } of demands) {
    const next: Verified[] = [];
    for (const verified of paths) {
      for (const outcome of outcomesOf(part, policy, { world, facts, verified })) {
        if (typeof outcome === 'number') verdicts.add(String(outcome));
        else next.push(outcome);
      }
    }
    paths = next;
  }
  for (const verified of paths) verdicts.add(letIn(demands, ask, verified));
  return verdicts;
}

interface Deps {
  readonly world: World;
  readonly facts: Facts;
  readonly verified: Verified;
}

/** A status: denied. Else it goes on, with the claims that are verified by then. */
type Outcome = number | Verified;

function outcomesOf(part: Part, policy: Policy, deps: Deps): readonly Outcome[] {
  const { spec } = policy;
  const { world, facts, verified } = deps;
  const pass: readonly Outcome[] = [verified];
  switch (part) {
    case 'clientIPs':
      return clientIPs(spec.clientIPs ?? {}, facts) ?? pass;
    case 'clientCertificates':
      return clientCertificates(spec.clientCertificates ?? {}, facts) ?? pass;
    case 'csrf':
      return csrf(spec.csrf ?? {}, facts) ?? pass;
    case 'apiKeys':
      return spec.apiKeys ? (apiKeys(spec.apiKeys, world, facts) ?? pass) : pass;
    case 'basicAuth':
      return spec.basicAuth ? (basicAuth(spec.basicAuth, world, facts) ?? pass) : pass;
    case 'jwt':
      return spec.jwt ? jwtVerdict(policy, spec.jwt, deps) : pass;
    case 'forwardAuth':
      return spec.forwardAuth ? (forwardAuth(spec.forwardAuth, facts) ?? pass) : pass;
    case 'authorization':
      return authorizationVerdict(policy, spec.authorization ?? {}, deps) ?? pass;
  }
}

type Spec = Policy['spec'];
type Denied = readonly number[] | undefined;
const closed: Denied = [500];

function clientIPs({ allow, deny = [] }: NonNullable<Spec['clientIPs']>, { client }: Facts): Denied {
  if (![...(allow ?? []), ...deny].every(isNetwork)) return closed;
  if (isIn(client, deny)) return [403];
  return allow === undefined || isIn(client, allow) ? undefined : [403];
}

function clientCertificates(demanded: NonNullable<Spec['clientCertificates']>, { ask }: Facts): Denied {
  if (!areNames(demanded)) return closed;
  return isHeld(demanded, ask.certificate) ? undefined : [403];
}

function csrf({ additionalOrigins = [], shadow }: NonNullable<Spec['csrf']>, { ask, authority }: Facts): Denied {
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

function apiKeys(
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
  const places = from.map(({ header, query, cookie }) => header ?? (query && 'query') ?? (cookie && 'cookie'));
  const { key } = ask;
  return key && places.includes(key.in) && usable.includes(key.value) ? undefined : [401];
}

const passwords: Readonly<Record<string, string>> = { ann: 'secret', bob: 'other' };

/** Lines in a format that is checked, and whole. */
const isChecked = (line: string): boolean => /:(\{SHA\}.{28}|\$2y\$.{56}|\$apr1\$.{8}\$.{22})$/.test(line);

function basicAuth(
  { secretRef }: NonNullable<Spec['basicAuth']>,
  world: World,
  { ask: { user, token } }: Facts,
): Denied {
  const secret = secretOf(secretRef, world);
  const lines = (secret?.[secretRef.key ?? '.htpasswd'] ?? '').split('\n');
  const users = lines.filter(isChecked).map((line) => line.slice(0, line.indexOf(':')));
  if (users.length === 0) return closed;
  if (!user || token?.in === 'authorization') return [401];
  return users.includes(user.name) && passwords[user.name] === user.password ? undefined : [401];
}

/** The server `auth` decides by a header; `dead` has no endpoints; others do not exist. */
function forwardAuth(spec: NonNullable<Spec['forwardAuth']>, { ask, client }: Facts): Denied {
  const { backendRef, failOpen, statusOnError = 503, exceptClientIPs = [] } = spec;
  if (!exceptClientIPs.every(isNetwork) || !['auth', 'dead'].includes(backendRef.name)) return closed;
  if (isIn(client, exceptClientIPs)) return undefined;
  if (backendRef.name === 'dead') return failOpen ? undefined : [statusOnError];
  return ask.consent === 'yes' ? undefined : [418];
}
