import { createHash } from 'node:crypto';
import fc from 'fast-check';
import { htpasswdLines } from '../htpasswd.ts';
import { ask, goodAsk } from './asks.ts';
import { partNames } from './levels.ts';
import { badSubject } from './model-certificates.ts';
import { expressions } from './model-expressions.ts';
import { badNetwork } from './networks.ts';
import type { Ask, Host, Part, Policy, World } from './world.ts';

/** Random worlds of policies, and requests to them. Names are few, so that things meet. */

const group = 'gateway.networking.k8s.io' as const;
const rarely = (weight: number) => ({ freq: weight, nil: undefined });
const maybe = <T>(arbitrary: fc.Arbitrary<T>, freq = 2) => fc.option(arbitrary, rarely(freq));
type Spec = Policy['spec'];
type PartOf<P extends Part> = fc.Arbitrary<NonNullable<Spec[P]>>;

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
const places = fc.constantFrom(
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
      from: places,
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
const someParts = fc
  .tuple(parts, fc.subarray([...partNames], { minLength: 1, maxLength: 2 }))
  .map(([all, chosen]) => Object.fromEntries(chosen.map((part) => [part, all[part]])) as Partial<Spec>);
const listed = fc.subarray([...partNames], { minLength: 1, maxLength: 4 });

interface Named {
  readonly name: string;
  readonly targetRefs: Spec['targetRefs'];
  readonly age: number;
  readonly spec: Partial<Spec>;
}

const policyOf = ({ name, targetRefs, age, spec }: Named): Policy =>
  ({
    apiVersion: 'gatewright.dev/v1alpha1',
    kind: 'AccessPolicy',
    metadata: { name, namespace: 'default', creationTimestamp: `2026-01-01T00:00:0${age}Z` },
    spec: { targetRefs, ...spec },
  }) as unknown as Policy;

const age = fc.integer({ min: 0, max: 2 });

const guards: fc.Arbitrary<Policy[]> = fc
  .array(fc.record({ age, spec: someParts, overridable: maybe(listed, 2) }), { maxLength: 2 })
  .map((all) =>
    all.map(({ age: born, spec, overridable }, index) =>
      policyOf({
        name: `g${index}`,
        targetRefs: [{ group, kind: 'Gateway', name: 'edge' }],
        age: born,
        spec: { ...spec, ...(overridable && { overridable }) },
      }),
    ),
  );

const sections = fc.subarray<string | undefined>([undefined, 'one', 'two'], { minLength: 1, maxLength: 2 });

const hostOf = (host: number): fc.Arbitrary<Host> =>
  fc.record({
    isWildcard: fc.boolean(),
    policies: fc
      .array(fc.record({ age, spec: fc.option(someParts, rarely(5)), sections, overrides: maybe(listed, 1) }), {
        maxLength: 3,
      })
      .map((all) =>
        all.flatMap(({ age: born, spec = {}, sections: chosen, overrides }, index) => {
          const targetRefs = chosen.map((sectionName) => ({
            group,
            kind: 'HTTPRoute' as const,
            name: `h${host}`,
            ...(sectionName !== undefined && { sectionName }),
          }));
          const whole = { ...spec, ...(overrides && { overrides }) };
          return Object.keys(whole).length === 0
            ? []
            : policyOf({ name: `h${host}-p${index}`, targetRefs, age: born, spec: whole });
        }),
      ),
  });

const shaOf = (password: string): string => `{SHA}${createHash('sha1').update(password).digest('base64')}`;
const sha = { ann: shaOf('secret'), bob: shaOf('other') };
const referred = fc.record({
  secrets: fc.record(
    {
      'keys-a': fc.constantFrom({ ann: 'key-1', bob: 'key-2' }, { ann: 'key-3' }, { ann: 'key-1', eve: 'key-3' }),
      'keys-b': fc.constantFrom({ carol: 'key-4' }, { ann: 'key-2' }, { carol: '' }),
      'keys-shared': fc.constant({ ann: 'key-5', bob: 'key-5' }),
      'granted/keys': fc.constant({ dan: 'key-2' }),
      'walled/keys': fc.constant({ dan: 'key-2' }),
      users: fc.constantFrom(
        { '.htpasswd': `ann:${sha.ann}\nbob:${sha.bob}\n` },
        { '.htpasswd': `# staff\nann:${sha.ann}\nbob:$apr1$x$y\n` },
        { '.htpasswd': `ann:${htpasswdLines.ann.hash}\nbob:${sha.bob}\n` },
        { '.htpasswd': `ann:${htpasswdLines.carol.hash}\nbob:$5$x$y\n` },
        { '.htpasswd': 'ann:plain\n' },
      ),
      'more-users': fc.constant({ '.htpasswd': `bob:${sha.bob}\n` }),
    },
    { requiredKeys: ['keys-a', 'users', 'granted/keys', 'walled/keys'] },
  ),
  keySets: fc.record(
    {
      staff: fc.constant('staff' as const),
      machines: fc.constant('machines' as const),
      none: fc.constant('none' as const),
    },
    { requiredKeys: ['staff'] },
  ),
});

export interface Case {
  readonly world: World;
  /** Requests to each host. */
  readonly asks: readonly (readonly Ask[])[];
}

/** So many hosts at once, and so many requests to each. */
export const cases = (hosts: number, asksEach: number): fc.Arbitrary<Case> =>
  fc
    .record({
      referred,
      guards,
      each: fc.array(fc.array(fc.oneof(ask, goodAsk), { minLength: 1, maxLength: asksEach, size: 'max' }), {
        minLength: hosts,
        maxLength: hosts,
      }),
      hosts: fc.tuple(...Array.from({ length: hosts }, (_, index) => hostOf(index))),
    })
    .map(({ referred: { secrets, keySets }, guards: demanded, each, hosts: made }) => ({
      world: { secrets: secrets as unknown as World['secrets'], keySets, guards: demanded, hosts: made },
      asks: each,
    }));
