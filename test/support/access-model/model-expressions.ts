import type { Facts } from './request-facts.ts';
import type { Policy } from './world.ts';

/** Claims of verified tokens, by NAMESPACE/POLICY/PROVIDER. */
type Verified = ReadonlyMap<string, Readonly<Record<string, unknown>>>;

interface Deps {
  readonly facts: Facts;
  /** Of the policy's own provider `p`; undefined: no token of it was verified. */
  readonly own: Readonly<Record<string, unknown>> | undefined;
}

/** What random rules may have in CEL, each by what the documentation says of it; undefined: the expression goes wrong. */
const meanings: Readonly<Record<string, (deps: Deps) => boolean | undefined>> = {
  "request.headers['x-team'] == 'a'": ({ facts }) =>
    facts.ask.team === undefined ? undefined : facts.ask.team === 'a',
  "!(request.headers['X-Team'] == 'a')": ({ facts }) =>
    facts.ask.team === undefined ? undefined : facts.ask.team !== 'a',
  "!('x-team' in request.headers) || request.method == 'POST'": ({ facts }) =>
    facts.ask.team === undefined || facts.ask.method === 'POST',
  "request.url_path.matches('^/o[a-z]+$')": ({ facts }) => /^\/o[a-z]+$/.test(facts.path),
  "source.address.startsWith('10.1.')": ({ facts }) => facts.client.startsWith('10.1.'),
  "has(jwt.p) && 'ops' in jwt.p.groups": ({ own }) => own !== undefined && [own.groups].flat().includes('ops'),
  "jwt.p.realm.roles[0] == 'admin'": ({ own }) =>
    own && (own.realm as { roles?: string[] } | undefined)?.roles?.[0] === 'admin',
};

/** Random policies take one of these. `request.path` is none that there is. */
export const expressions: readonly string[] = [...Object.keys(meanings), "request.path == '/one'"];

/** Whether a rule may have it: what it names is there. */
export const isExpression = (cel: string, { jwt }: Policy['spec']): boolean =>
  Object.hasOwn(meanings, cel) &&
  (!cel.includes('jwt.p') || (jwt?.providers.some(({ name }) => name === 'p') ?? false));

export const holdsExpression = (
  cel: string,
  { metadata: { namespace = 'default', name } }: Policy,
  { facts, verified }: { readonly facts: Facts; readonly verified: Verified },
): boolean => meanings[cel]?.({ facts, own: verified.get(`${namespace}/${name}/p`) }) ?? false;
