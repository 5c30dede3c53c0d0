import fc from 'fast-check';
import { oidc } from './login.ts';
import { badSubject } from './model-certificates.ts';
import { expressions } from './model-expressions.ts';
import { badNetwork } from './networks.ts';
import type { Policy } from './world.ts';

/** Random parts of policies. Names are few, so that things meet. */

type Spec = Policy['spec'];
type PartOf<P extends keyof Spec> = fc.Arbitrary<NonNullable<Spec[P]>>;
const maybe = <T>(arbitrary: fc.Arbitrary<T>) => fc.option(arbitrary, { freq: 2, nil: undefined });

const network = fc.oneof(
  {
    arbitrary: fc.constantFrom('10.0.0.0/8', '10.1.0.0/16', '192.0.2.7', '127.0.0.0/8', '0.0.0.0/0', '2001:db8::/32'),
    weight: 20,
  },
  { arbitrary: fc.constant(badNetwork), weight: 1 },
);
const networks = fc.uniqueArray(network, { minLength: 1, maxLength: 3 });

const clientIPs: PartOf<'clientIPs'> = fc.oneof(
  fc.record({ allow: networks }),
  fc.record({ deny: networks }),
  fc.record({ allow: networks, deny: networks }),
);
const certificateName = fc.oneof(
  {
    arbitrary: fc.constantFrom(
      { dns: 'alice.corp.test' },
      { dns: '*.corp.test' },
      { uri: 'spiffe://corp/staff/alice' },
      { uri: 'spiffe://corp/machines/*' },
      { subject: 'CN=bob,O=Corp' },
      { subject: 'CN=alice,O=Corp' },
    ),
    weight: 20,
  },
  { arbitrary: fc.constant({ subject: badSubject }), weight: 1 },
);
const clientCertificates: PartOf<'clientCertificates'> = fc.oneof(
  { arbitrary: fc.constant({ required: true as const }), weight: 1 },
  {
    arbitrary: fc.record({
      names: fc.uniqueArray(certificateName, { minLength: 1, maxLength: 3, selector: (name) => JSON.stringify(name) }),
    }),
    weight: 2,
  },
);
const csrf: PartOf<'csrf'> = fc.record(
  { additionalOrigins: fc.constantFrom(['friend.test'], ['*.corp.test']), shadow: fc.boolean() },
  { requiredKeys: [] },
);
const keySecret = fc.constantFrom(
  { name: 'keys-a' },
  { name: 'keys-a' },
  { name: 'keys-b' },
  { name: 'keys-shared' },
  { name: 'keys', namespace: 'granted' },
  { name: 'keys', namespace: 'walled' },
);
const apiKeys: PartOf<'apiKeys'> = fc.record(
  {
    secretRefs: fc.uniqueArray(keySecret, { minLength: 1, maxLength: 2, selector: (ref) => JSON.stringify(ref) }),
    from: fc.uniqueArray(
      fc.constantFrom({ header: 'x-key' }, { header: 'x-other-key' }, { query: 'key' }, { cookie: 'key' }),
      { minLength: 1, maxLength: 3, selector: (place) => JSON.stringify(place) },
    ),
    identityHeader: fc.constantFrom('x-client', 'x-client', 'x-client', 'x-forwarded-user'),
    forwardKey: fc.boolean(),
  },
  { requiredKeys: ['secretRefs', 'from'] },
);
const basicAuth: PartOf<'basicAuth'> = fc.record(
  {
    secretRef: fc.constantFrom({ name: 'users' }, { name: 'users' }, { name: 'more-users' }),
    userHeader: fc.constant('x-user'),
  },
  { requiredKeys: ['secretRef'] },
);
const tokenPlaces = fc.constantFrom(
  { headers: [{ name: 'authorization', prefix: 'Bearer ' }] },
  { headers: [{ name: 'x-token' }] },
  { cookies: ['token'] },
  { queryParams: ['token'] },
  { headers: [{ name: 'x-token' }], cookies: ['token'] },
);
const provider = (name: string) =>
  fc.record(
    {
      name: fc.constant(name),
      issuer: fc.constantFrom('https://id.test', 'https://id.test', 'https://machines.test'),
      audiences: fc.constantFrom(['api'], ['api', 'other']),
      jwks: fc.constantFrom('staff', 'staff', 'machines', 'none').map((set) => ({ configMapRef: { name: set } })),
      from: tokenPlaces,
      claimsToHeaders: fc.constant([{ claim: 'sub', header: 'x-user' }]),
      forwardToken: fc.boolean(),
    },
    { requiredKeys: ['name', 'jwks'] },
  );
const jwt: PartOf<'jwt'> = fc.record(
  {
    optional: fc.boolean(),
    providers: fc.oneof(
      { arbitrary: provider('p').map((one) => [one]), weight: 2 },
      { arbitrary: fc.tuple(provider('p'), provider('q')), weight: 1 },
    ),
  },
  { requiredKeys: ['providers'] },
) as PartOf<'jwt'>;
const forwardAuth: PartOf<'forwardAuth'> = fc.record(
  {
    backendRef: fc.constantFrom('auth', 'auth', 'auth', 'dead', 'absent').map((name) => ({ name, port: 80 })),
    http: fc.constantFrom<NonNullable<NonNullable<Policy['spec']['forwardAuth']>['http']>>(
      { requestHeaders: ['x-consent'] },
      { requestHeaders: ['x-consent'], path: '/check' },
      { requestHeaders: ['x-consent'], path: '/check?a=b', method: 'GET', allowWith: 'Successful' },
    ),
    exceptClientIPs: networks,
    failOpen: fc.boolean(),
    statusOnError: fc.constantFrom(503, 502),
  },
  { requiredKeys: ['backendRef', 'http'] },
);
const providerName = fc.constantFrom('p', 'p', 'default/g0/p', 'default/g1/p', 'default/h0-p0/p', 'default/h0-p1/q');
const when = fc.record(
  {
    methods: fc.subarray(['GET', 'POST', 'DELETE'], { minLength: 1, maxLength: 2 }),
    paths: fc
      .subarray(
        [{ prefix: '/one' }, { prefix: '/two/' }, { exact: '/one/x' }, { regex: '/o[a-z]+' }, { prefix: '/' }],
        {
          minLength: 1,
          maxLength: 2,
        },
      )
      .map((list) => [...list]),
    headers: fc.subarray(['a', 'b'], { minLength: 1 }).map((values) => [{ name: 'x-team', values }]),
    clientIPs: networks,
    clientCertificates,
    jwt: fc.record(
      {
        provider: providerName,
        scopes: fc.subarray(['read', 'write'], { minLength: 1 }),
        claims: fc.constantFrom(
          [{ name: 'groups', values: ['ops'] }],
          [{ name: 'groups', values: ['dev', 'qa'] }],
          [{ path: ['realm', 'roles'], values: ['admin'] }],
        ),
      },
      { requiredKeys: ['provider'] },
    ),
    cel: fc.constantFrom(...expressions),
    not: fc.boolean(),
  },
  { requiredKeys: [] },
);
const conditions = fc.oneof(
  { arbitrary: when.map((one) => ({ when: one })), weight: 4 },
  { arbitrary: fc.array(when, { minLength: 1, maxLength: 2 }).map((any) => ({ any })), weight: 2 },
  { arbitrary: fc.constant({}), weight: 1 },
);
const authorization = fc.record(
  {
    default: fc.constantFrom('Allow', 'Deny'),
    rules: fc
      .array(fc.tuple(fc.constantFrom('Allow', 'Allow', 'Deny'), conditions), { minLength: 1, maxLength: 3 })
      .map((rules) => rules.map(([action, more], index) => ({ name: `r${index}`, action, ...more }))),
  },
  { requiredKeys: [] },
) as PartOf<'authorization'>;

const parts = fc.record({ clientIPs, clientCertificates, csrf, apiKeys, basicAuth, jwt, forwardAuth, authorization });
const demandable = [
  'clientIPs',
  'clientCertificates',
  'csrf',
  'apiKeys',
  'basicAuth',
  'jwt',
  'forwardAuth',
  'authorization',
] as const;
const pick = (all: Partial<Spec>, chosen: readonly (keyof Spec)[]): Partial<Spec> =>
  Object.fromEntries(chosen.map((part) => [part, all[part]]));
const fewParts: fc.Arbitrary<Partial<Spec>> = fc
  .tuple(parts, fc.subarray([...demandable], { minLength: 1, maxLength: 2 }))
  .map(([all, chosen]) => pick(all, chosen));

const oneIsEnough: fc.Arbitrary<Partial<Spec>> = fc
  .record({
    all: parts,
    enough: fc.subarray(['clientIPs', 'clientCertificates', 'apiKeys', 'basicAuth', 'jwt'] as const, {
      minLength: 2,
      maxLength: 4,
    }),
    more: fc.subarray(['csrf', 'forwardAuth', 'authorization'] as const, { maxLength: 1 }),
    allow: networks,
  })
  .map(({ all: { clientIPs: addresses, jwt: tokens, ...others }, enough, more, allow }) => {
    const all = { ...others, clientIPs: { allow, ...addresses }, jwt: { providers: tokens.providers } };
    return { satisfy: 'Any' as const, ...pick(all, [...enough, ...more]) };
  });

/** No one logs in: each request is sent to the provider or denied, but those that another part is for. */
const login = fc.constantFrom(
  oidc,
  { ...oidc, denyRedirect: [{ path: { prefix: '/one' } }] },
  { ...oidc, denyRedirect: [{ header: { name: 'x-team' } }] },
) as PartOf<'oidc'>;
type Conditions = NonNullable<NonNullable<Spec['oidc']>['passThrough']>;
const passThrough = fc.constantFrom(
  [{ header: { name: 'x-key' } }],
  [{ header: { name: 'x-token' } }],
) as fc.Arbitrary<Conditions>;
const logins: fc.Arbitrary<Partial<Spec>> = fc.oneof(
  { arbitrary: fc.tuple(login, fewParts).map(([own, others]) => ({ ...others, oidc: own })), weight: 1 },
  {
    arbitrary: fc
      .record({ own: login, passed: passThrough, jwt, enough: maybe(apiKeys) })
      .map(({ own, passed, jwt: { providers }, enough }) => ({
        ...(enough && { satisfy: 'Any' as const, apiKeys: enough }),
        oidc: { ...own, passThrough: passed },
        jwt: { providers },
      })),
    weight: 2,
  },
);

/** What a policy demands. */
export const someParts: fc.Arbitrary<Partial<Spec>> = fc.oneof(
  { arbitrary: fewParts, weight: 12 },
  { arbitrary: oneIsEnough, weight: 6 },
  { arbitrary: logins, weight: 1 },
);
