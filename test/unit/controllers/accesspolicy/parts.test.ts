import { generateKeyPairSync } from 'node:crypto';
import test from 'ava';
import { findDefinitions } from '../../../../src/app/process/index.ts';
import { type PartDeps, resolvePart } from '../../../../src/controllers/accesspolicy/parts/index.ts';
import { kindModules } from '../../../../src/controllers/index.ts';
import { readCidr } from '../../../../src/controllers/policies/cidr.ts';
import { registry } from '../../../../src/envoy/index.ts';
import { BackendProviders } from '../../../../src/graph/engine/backend-providers.ts';
import { Store } from '../../../../src/graph/engine/store.ts';
import * as ir from '../../../../src/ir/index.ts';
import { readJwks } from '../../../../src/key-sets/index.ts';
import { htpasswdLines, htpasswdOf, slowHash } from '../../../support/htpasswd.ts';
import { configMap, ownObject, secret as plainSecret, service } from '../../../support/objects.ts';
import { validatorOf } from '../../../support/validator.ts';
import type { AnyObject } from '../../../support/world.ts';

const labels = { 'gatewright.dev/credentials': 'true' };
const secret: typeof plainSecret = (name, data) => plainSecret(name, data, { labels });

const target = { group: 'gateway.networking.k8s.io', kind: 'HTTPRoute', name: 'shop' };

/** What one part of a policy comes to beside some objects. */
function resolve<P extends ir.AccessPart>(
  part: P,
  spec: object,
  {
    objects = [],
    level = 'route',
    more = {},
  }: Partial<Pick<PartDeps, 'level'>> & { objects?: readonly AnyObject[]; more?: object } = {},
) {
  const store = new Store(undefined, undefined, new BackendProviders(kindModules));
  for (const object of objects) store.put(object.kind as 'Secret', object as never);
  const policy = ownObject('AccessPolicy', 'p', {
    targetRefs: [target],
    ...more,
    ...(part !== 'any' && { [part]: spec }),
  });
  const { value, faults = [], referenceFaults = [], backends } = resolvePart(part, { policy, level, store }) ?? {};
  const texts = (list: readonly { reason: string; message: string }[]) =>
    list.map(({ reason, message }) => `${reason} ${message}`);
  return { value: value as ir.Access[P], faults: texts(faults), references: texts(referenceFaults), backends };
}

test('a network is read with its host bits 0, or what is wrong with it is said', (t) => {
  const read = (text: string) => {
    const found = readCidr(text);
    return 'cidr' in found ? `${found.cidr.address}/${found.cidr.prefixLength}` : found.fault;
  };
  t.is(read('10.0.0.0/8'), '10.0.0.0/8');
  t.is(read('0.0.0.0/0'), '0.0.0.0/0');
  t.is(read('::/0'), '::/0');
  t.is(read('192.0.2.1'), '192.0.2.1/32');
  t.is(read('2001:DB8:0::1'), '2001:db8::1/128');
  t.is(read('2001:db8:8000::/33'), '2001:db8:8000::/33');
  t.is(read('::ffff:10.0.0.0/104'), '::ffff:a00:0/104');
  t.regex(read('10.1.2.3/8'), /would be 10\.0\.0\.0\/8/);
  t.regex(read('2001:db8::1/32'), /would be 2001:db8::\/32/);
  t.regex(read('10.0.0.0/33'), /IPv4 has 32/);
  t.regex(read('::/129'), /IPv6 has 128/);
  for (const bad of [
    'nonsense',
    '10.0.0.0/',
    '10.0.0.0/8/8',
    '10.0.0/8',
    '',
    '/8',
    'fe80::1%eth0',
    '10.0.0.0/-1',
    '010.0.0.0/8',
  ])
    t.regex(read(bad), /is not a network/, bad);
});

test('clientIPs: one bad network closes the part, and more than 1024 of a policy are too many', (t) => {
  t.deepEqual(resolve('clientIPs', { allow: ['10.0.0.0/8'] }).value, {
    allow: [{ address: '10.0.0.0', prefixLength: 8 }],
    deny: [],
  });
  const bad = resolve('clientIPs', { allow: ['10.0.0.0/8', '10.0.0.1/8'] });
  t.is(bad.value, undefined);
  t.regex(bad.faults.join(), /^Invalid clientIPs\.allow\[1\]/);
  const many = Array.from({ length: 1000 }, (_, index) => `10.0.${index >> 8}.${index & 255}`);
  const rules = [{ name: 'a', action: 'Allow', when: { clientIPs: many.slice(0, 25) } }];
  t.truthy(resolve('clientIPs', { allow: many }).value);
  t.regex(resolve('clientIPs', { allow: many }, { more: { authorization: { rules } } }).faults.join(), /1025 networks/);
});

test('clientCertificates: names are compared as clients hold them, and what no certificate reads like closes the part', (t) => {
  t.deepEqual(resolve('clientCertificates', { required: true }).value, {});
  const { value } = resolve('clientCertificates', {
    names: [
      { dns: '*.a.b' },
      { uri: 'spiffe://a+b/c' },
      { uri: 'spiffe://a/*' },
      { email: 'Ann@a.test' },
      { ip: '2001:DB8:0::1' },
      { ip: '192.0.2.7' },
      { subject: 'CN=a\\, b,O=C D' },
    ],
  });
  t.deepEqual(
    value?.names?.map(({ kind, match }) => [kind, match.kind, match.value]),
    [
      ['dns', 'regex', '(?i)[A-Za-z0-9_-]+(\\.[A-Za-z0-9_-]+)*\\.a\\.b'],
      ['uri', 'exact', 'spiffe://a+b/c'],
      ['uri', 'regex', 'spiffe://a/[!-~]+'],
      ['email', 'exact', 'Ann@a.test'],
      ['ip', 'exact', '2001:db8::1'],
      ['ip', 'exact', '192.0.2.7'],
      ['subject', 'exact', 'CN=a\\, b,O=C D'],
    ],
  );
  const faultOf = (spec: object) => {
    const { value: none, faults } = resolve('clientCertificates', spec);
    t.is(none, undefined, JSON.stringify(spec));
    return faults.join();
  };
  const bad: readonly (readonly [object, RegExp])[] = [
    [{}, /set names, or required: true/],
    [{ required: false }, /set names, or required: true/],
    [{ required: true, names: [{ dns: 'a' }] }, /set names, or required: true/],
    [{ names: [] }, /name one/],
    [{ names: [{}] }, /exactly one of dns, uri, email, ip and subject/],
    [{ names: [{ dns: 'a', uri: 'b:c' }] }, /exactly one/],
    ...['*', 'a.*.b', 'a..b', 'a b', '.a', 'a\0b', 'a*'].map(
      (dns) => [{ names: [{ dns }] }, /not a DNS name/] as const,
    ),
    ...['alice', '/a', 'a b:c', 'a:b c', 'ä:b'].map((uri) => [{ names: [{ uri }] }, /not a URI/] as const),
    ...['ann', 'ann@', 'a b@c', 'a@b@c', '@a'].map(
      (email) => [{ names: [{ email }] }, /not an email address/] as const,
    ),
    ...['1.2.3', '10.0.0.0/8', '::ffff:192.0.2.7', '::ffff:c000:207', 'fe80::1%eth0', '256.1.1.1'].map(
      (ip) => [{ names: [{ ip }] }, /not an IP address/] as const,
    ),
    ...['/C=US/CN=a', 'C = US, CN = a', 'CN=a, O=B', 'CN=ä', 'alice'].map(
      (subject) => [{ names: [{ subject }] }, /-nameopt RFC2253/] as const,
    ),
  ];
  for (const [spec, words] of bad) t.regex(faultOf(spec), words, JSON.stringify(spec));
  const rules = [{ name: 'r', action: 'Allow', when: { clientCertificates: { names: [{ dns: '*' }] } } }];
  t.regex(resolve('authorization', { rules }).faults.join(), /rule r: clientCertificates\.names\[0\]/);
});

test('csrf: a wildcard stands for subdomains alone', (t) => {
  const { value } = resolve('csrf', { additionalOrigins: ['Admin.test:8443', '*.corp.test'], shadow: true });
  t.deepEqual(value, {
    additionalOrigins: [
      { kind: 'exact', value: 'admin.test:8443' },
      { kind: 'regex', value: '[^/:]+\\.corp\\.test' },
    ],
    shadow: true,
  });
  t.regex(resolve('csrf', { additionalOrigins: ['https://a.test'] }).faults.join(), /without scheme/);
});

const apiKeys = { secretRefs: [{ name: 'keys' }], from: [{ header: 'X-Key' }] };
const keysOf = (value: ir.ApiKeys | undefined) => value && JSON.parse(Buffer.from(value.keys.reveal()).toString());

test('apiKeys: sorted, without line ends, and the digest follows the content', (t) => {
  const one = resolve(
    'apiKeys',
    { ...apiKeys, identityHeader: 'X-Client' },
    { objects: [secret('keys', { bob: 'k2', ann: 'k1\n' })] },
  );
  t.deepEqual(keysOf(one.value), [
    ['ann', 'k1'],
    ['bob', 'k2'],
  ]);
  t.deepEqual(one.value?.from, [{ kind: 'header', name: 'x-key' }]);
  t.is(one.value?.identityHeader, 'x-client');
  const digestWith = (key: string) =>
    ir.digestOf({ ...resolve('apiKeys', apiKeys, { objects: [secret('keys', { bob: 'k2', ann: key })] }).value });
  t.not(digestWith('k1'), digestWith('k3'));
  t.is(digestWith('k1'), digestWith('k1\n'));
});

test('apiKeys: several keys of one client are one client, in one Secret or two', (t) => {
  const objects = [secret('keys', { ann: 'new' }), secret('old', { ann: 'old', bob: 'b' })];
  const { value, references } = resolve(
    'apiKeys',
    { ...apiKeys, secretRefs: [{ name: 'keys' }, { name: 'old' }] },
    { objects },
  );
  t.deepEqual(keysOf(value), [
    ['ann', 'new'],
    ['ann', 'old'],
    ['bob', 'b'],
  ]);
  t.deepEqual(references, []);
  const twice = [secret('keys', { ann: 'same' }), secret('old', { ann: 'same' })];
  t.deepEqual(
    keysOf(
      resolve('apiKeys', { ...apiKeys, secretRefs: [{ name: 'keys' }, { name: 'old' }] }, { objects: twice }).value,
    ),
    [['ann', 'same']],
  );
});

test('apiKeys: bad keys are left out and named by client, never by key; with none left the part is closed', (t) => {
  const objects = [secret('keys', { ann: 'shared', bob: 'shared', eve: '', odd: 'line\nbreak', zoe: 'good' })];
  const { value, references } = resolve('apiKeys', apiKeys, { objects });
  t.deepEqual(keysOf(value), [['zoe', 'good']]);
  t.is(references.length, 3);
  t.regex(references.join(), /client eve .* empty.*client odd .*characters.*clients ann and bob have the same key/);
  t.notRegex(references.join(), /shared|line|break/);
  const none = resolve('apiKeys', apiKeys, { objects: [secret('keys', {})] });
  t.is(none.value, undefined);
  t.regex(none.references.join(), /InvalidSecret .*has no keys/);
  t.is(resolve('apiKeys', apiKeys, { objects: [secret('keys', { a: 'same', b: 'same' })] }).value, undefined);
  const missing = resolve('apiKeys', { ...apiKeys, secretRefs: [{ name: 'keys' }, { name: 'gone' }] }, { objects });
  t.is(missing.value, undefined, 'one of two Secrets is not enough');
  t.deepEqual(missing.references, ['SecretNotFound Secret default/gone does not exist']);
});

test('apiKeys: of a Secret without the label no key is used, and its status says so', (t) => {
  const objects = [plainSecret('keys', { token: 'k' }), secret('good', { ann: 'k1' })];
  const alone = resolve('apiKeys', apiKeys, { objects });
  t.is(alone.value, undefined);
  t.regex(alone.references.join(), /InvalidSecret Secret default\/keys lacks the label gatewright\.dev\/credentials/);
  const both = resolve('apiKeys', { ...apiKeys, secretRefs: [{ name: 'keys' }, { name: 'good' }] }, { objects });
  t.deepEqual(keysOf(both.value), [['ann', 'k1']]);
  t.is(both.references.length, 1);
});

test('apiKeys and basicAuth: what is for a route may have 100, what is for a Gateway 1000', (t) => {
  const many = (count: number) =>
    Object.fromEntries(Array.from({ length: count }, (_, index) => [`c${index}`, `k${index}`]));
  const of = (count: number, level: 'route' | 'gateway') =>
    resolve('apiKeys', apiKeys, { objects: [secret('keys', many(count))], level });
  t.truthy(of(100, 'route').value);
  t.is(of(101, 'route').value, undefined);
  t.regex(of(101, 'route').references.join(), /a policy for the Gateway may have more/);
  t.truthy(of(1000, 'gateway').value);
  t.is(of(1001, 'gateway').value, undefined);
  const users = Array.from({ length: 101 }, (_, index) => `u${index}:${sha}`).join('\n');
  const basic = (level: 'route' | 'gateway') =>
    resolve(
      'basicAuth',
      { secretRef: { name: 'users' } },
      { objects: [secret('users', { '.htpasswd': users })], level },
    );
  t.is(basic('route').value, undefined);
  t.truthy(basic('gateway').value);
});

const sha = '{SHA}5en6G6MezRroT3XKqkdPOmY/BfQ=';
const usersIn = (htpasswd: string) =>
  resolve('basicAuth', { secretRef: { name: 'users' } }, { objects: [secret('users', { '.htpasswd': htpasswd })] });
const linesOf = (value: ir.BasicAuth | undefined) => value && Buffer.from(value.htpasswd.reveal()).toString();

test('basicAuth: line ends are made alike, comments and blank lines left out', (t) => {
  const { value, references } = usersIn(`# staff\r\n\r\nann:${sha}\r\nbob:${sha}`);
  t.is(linesOf(value), `ann:${sha}\nbob:${sha}\n`);
  t.deepEqual(references, []);
});

test('basicAuth: users that proxies cannot check are named with the format, and never their hash', (t) => {
  const hashes = {
    bcrypt: '$2y$05$abcdefghijk',
    md5: '$apr1$salt$hash1',
    plain: 'hunter2',
    sha256: '{SHA256}xyzzy',
    ssha: '{SSHA}plugh',
    short: '{SHA}c2hvcnQ=',
  };
  const lines = Object.entries(hashes).map(([user, hash]) => `${user}:${hash}`);
  const { value, references } = usersIn([`ann:${sha}`, ...lines, `ann:${sha}`, 'whole line of a secret'].join('\n'));
  t.is(linesOf(value), `ann:${sha}\n`);
  t.is(references.length, 8);
  for (const user of Object.keys(hashes))
    t.true(
      references.some((text) => text.includes(`user "${user}"`)),
      user,
    );
  t.true(references.some((text) => text.includes('bcrypt hash that is not whole') && text.includes('htpasswd -B')));
  t.notRegex(references.join(), /hunter2|xyzzy|plugh|abcdefghijk|hash1|whole line/);
});

test('basicAuth: bcrypt and apr1 come in, and the proxy asks its agent for the whole list', (t) => {
  const { value, references } = usersIn(htpasswdOf());
  t.deepEqual(references, []);
  t.is(linesOf(value), htpasswdOf());
  t.true(value?.hashed);
  t.is(usersIn(htpasswdOf(['eve'])).value?.hashed, undefined, 'Envoy checks {SHA} itself');
  for (const version of ['$2a$', '$2b$', '$2y$'])
    t.is(usersIn(`ann:${htpasswdLines.ann.hash.replace('$2y$', version)}`).references.length, 0, version);
});

test('basicAuth: a bcrypt hash that takes too long to check is named, and no other user suffers', (t) => {
  const costly = slowHash.replace('$14$', '$15$');
  const { value, references } = usersIn(`ann:${costly}\nbob:${slowHash}\neve:${htpasswdLines.bob.hash}\n`);
  t.is(linesOf(value), `bob:${slowHash}\neve:${htpasswdLines.bob.hash}\n`);
  t.is(references.length, 1);
  t.regex(references.join(), /user "ann" has a bcrypt hash of cost 15, .*htpasswd -B -C 10/);
});

test('basicAuth: no user, no entry, no Secret: closed', (t) => {
  for (const text of ['', '# nothing', 'ann:$apr1$x']) t.is(usersIn(text).value, undefined, text);
  const wrongKey = resolve(
    'basicAuth',
    { secretRef: { name: 'users', key: 'auth' } },
    { objects: [secret('users', { '.htpasswd': `a:${sha}` })] },
  );
  t.is(wrongKey.value, undefined);
  t.regex(resolve('basicAuth', { secretRef: { name: 'users' } }).references.join(), /SecretNotFound/);
});

const rsa = generateKeyPairSync('rsa', { modulusLength: 2048 });
const publicKey = rsa.publicKey.export({ format: 'jwk' });
const ed = generateKeyPairSync('ed25519').publicKey.export({ format: 'jwk' });
const setOf = (...keys: readonly object[]) => JSON.stringify({ keys });

const anyOf = (more: object, objects: readonly AnyObject[] = []) =>
  resolve('any', {}, { objects, more: { satisfy: 'Any', apiKeys, ...more } });
const bob = secret('keys', { bob: 'k' });

test('any: parts of which one is enough are one part; addresses that are denied stay demanded', (t) => {
  const clientIPs = { allow: ['10.0.0.0/8'], deny: ['10.9.0.0/16'] };
  const { value, faults, references } = anyOf({ clientIPs }, [bob]);
  t.deepEqual([faults, references], [[], []]);
  t.deepEqual(value?.allow, [{ address: '10.0.0.0', prefixLength: 8 }]);
  t.deepEqual(keysOf(value?.apiKeys), [['bob', 'k']]);
  const more = { satisfy: 'Any', apiKeys };
  t.deepEqual(resolve('clientIPs', clientIPs, { more }).value, { deny: [{ address: '10.9.0.0', prefixLength: 16 }] });
  t.is(resolve('clientIPs', { allow: ['10.0.0.0/8'] }, { more }).value, undefined, 'nothing of it is demanded alone');
  t.is(resolve('apiKeys', apiKeys, { objects: [bob], more }).value, undefined);
});

test('any: what would let everyone in, or does not say what counts, closes the part', (t) => {
  const faultsOf = (more: object) => {
    const { value, faults } = anyOf(more, [bob]);
    t.is(value, undefined);
    return faults.join();
  };
  const jwt = (given: object = {}, from?: object) => ({
    jwt: { ...given, providers: [{ name: 'p', jwks: { inline: setOf(publicKey) }, ...(from && { from }) }] },
  });
  t.regex(faultsOf({}), /^Invalid satisfy: Any wants two or more/);
  t.regex(faultsOf({ clientIPs: { deny: ['10.0.0.0/8'] } }), /two or more/);
  t.regex(faultsOf(jwt({ optional: true })), /jwt\.optional would let everyone in/);
  t.regex(faultsOf({ ...jwt(), overridable: ['jwt'] }), /jwt is no part of its own/);
  t.regex(faultsOf(jwt({}, { headers: [{ name: 'x-key' }] })), /the same header x-key/);
  t.regex(faultsOf({ ...jwt(), apiKeys: { ...apiKeys, from: [{ header: 'Authorization' }] } }), /header authorization/);
  t.regex(faultsOf({ clientIPs: { allow: ['10.0.0.1/8'] } }), /host bits/);
});

test('any: what is missing of one of them closes all', (t) => {
  const { value, references } = anyOf({ clientIPs: { allow: ['10.0.0.0/8'] } });
  t.is(value, undefined);
  t.regex(references.join(), /SecretNotFound Secret default\/keys/);
});

test('a key set keeps public keys and of them what proxies need', (t) => {
  const whole = {
    ...rsa.privateKey.export({ format: 'jwk' }),
    kid: 'a',
    alg: 'RS256',
    use: 'sig',
    x5c: ['x'],
    x5t: 'y',
  };
  const read = readJwks(
    setOf(whole, { kty: 'oct', k: 'c2VjcmV0' }, { kty: 'NEW' }, ed, { kty: 'EC', crv: 'P-256', x: 'AA', y: 'AA' }),
  );
  t.true('keys' in read);
  const { keys } = JSON.parse((read as { keys: string }).keys);
  t.deepEqual(keys, [
    { kty: 'RSA', n: publicKey.n, e: publicKey.e, kid: 'a', alg: 'RS256', use: 'sig' },
    { kty: 'OKP', crv: 'Ed25519', x: ed.x },
  ]);
});

test('a key set without a key to verify by is none', (t) => {
  for (const text of [
    '',
    'nonsense',
    '[]',
    'null',
    '{}',
    '{"keys":{}}',
    setOf(),
    setOf({ kty: 'oct', k: 'c2VjcmV0' }),
    setOf({ ...publicKey, use: 'enc' }),
    setOf({ kty: 'RSA', n: 1, e: 'AQAB' }),
    `{"keys":[],"x":"${'x'.repeat(70_000)}"}`,
  ])
    t.true('fault' in readJwks(text), text.slice(0, 40));
});

const provider = (jwks: object, more: object = {}) => ({ providers: [{ name: 'staff', jwks, ...more }] });

test('jwt: keys are inline, in a Secret or in a ConfigMap, under a key of the own choice', (t) => {
  const inline = resolve('jwt', provider({ inline: setOf(publicKey) })).value;
  t.is(inline?.providers[0]?.id, 'default/p/staff');
  t.false(inline?.optional);
  const objects = [secret('idp', { 'jwks.json': setOf(publicKey) }), configMap('idp', { other: setOf(publicKey) })];
  t.deepEqual(resolve('jwt', provider({ secretRef: { name: 'idp' } }), { objects }).value, inline);
  t.deepEqual(resolve('jwt', provider({ configMapRef: { name: 'idp', key: 'other' } }), { objects }).value, inline);
  t.regex(
    resolve('jwt', provider({ configMapRef: { name: 'idp' } }), { objects }).references.join(),
    /InvalidConfigMap jwks\.json of ConfigMap default\/idp is missing/,
  );
  t.regex(resolve('jwt', provider({ secretRef: { name: 'gone' } })).references.join(), /SecretNotFound/);
  t.regex(resolve('jwt', provider({ inline: '{' })).faults.join(), /Invalid .*is no JSON Web Key Set/);
});

test('jwt: one provider without keys closes all of them', (t) => {
  const { value } = resolve('jwt', {
    providers: [
      { name: 'a', jwks: { inline: setOf(publicKey) } },
      { name: 'b', jwks: { secretRef: { name: 'gone' } } },
    ],
  });
  t.is(value, undefined);
});

test('identity headers that are not for a policy to write close their part', (t) => {
  const objects = [secret('keys', { ann: 'k' }), secret('users', { '.htpasswd': `a:${sha}` })];
  for (const header of [
    'Host',
    ':path',
    'x-gw-scope',
    'Connection',
    'content-length',
    'Transfer-Encoding',
    'x-forwarded-for',
    'x-envoy-original-path',
    'two words',
    '',
  ]) {
    const claims = provider({ inline: setOf(publicKey) }, { claimsToHeaders: [{ claim: 'sub', header }] });
    t.is(resolve('jwt', claims).value, undefined, header);
    t.is(
      resolve('basicAuth', { secretRef: { name: 'users' }, userHeader: header }, { objects }).value,
      undefined,
      header,
    );
    t.is(resolve('apiKeys', { ...apiKeys, identityHeader: header }, { objects }).value, undefined, header);
  }
  const twice = provider(
    { inline: setOf(publicKey) },
    {
      claimsToHeaders: [
        { claim: 'sub', header: 'x-a' },
        { path: ['b', 'c'], header: 'X-A' },
      ],
    },
  );
  t.regex(resolve('jwt', twice).faults.join(), /writes x-a twice/);
});

test('forwardAuth: a port of a Service, asked by HTTP unless gRPC is said', (t) => {
  const objects = [service('auth', [80])];
  const backendRef = { name: 'auth', port: 80 };
  const http = resolve('forwardAuth', { backendRef }, { objects });
  t.deepEqual(http.value, {
    ...{
      backend: 'default/auth/80',
      protocol: 'http',
      authority: 'auth.default',
      requestHeaders: [],
      responseHeaders: [],
    },
    ...{ toClient: [], timeoutMs: 10_000, failOpen: false, statusOnError: 503 },
  });
  t.deepEqual(http.backends, ['default/auth/80']);
  const grpc = resolve(
    'forwardAuth',
    { backendRef, grpc: { requestHeaders: ['Cookie'] }, body: { maxBytes: 9 }, failOpen: true },
    { objects },
  );
  t.like(grpc.value, { protocol: 'grpc', requestHeaders: ['cookie'], maxBodyBytes: 9, failOpen: true });
  t.not(grpc.value?.backend, http.value?.backend, 'gRPC is HTTP/2');
  for (const [wrong, reason] of [
    [{ name: 'gone', port: 80 }, /BackendNotFound/],
    [{ name: 'auth', port: 81 }, /BackendNotFound/],
    [{ name: 'auth', namespace: 'other', port: 80 }, /RefNotPermitted .*AccessPolicies of default/],
  ] as const) {
    const closed = resolve('forwardAuth', { backendRef: wrong }, { objects });
    t.is(closed.value, undefined);
    t.regex(closed.references.join(), reason);
  }
  for (const http of [
    { path: '/a/../b' },
    { path: '/%2e%2E/b' },
    { toBackend: ['host'] },
    { toClient: ['content-length'] },
    { requestHeaders: ['a b'] },
  ])
    t.is(resolve('forwardAuth', { backendRef, http }, { objects }).value, undefined, JSON.stringify(http));
});

test('forwardAuth: a status that Envoy has no name for closes the part, in the definition and here', async (t) => {
  const objects = [service('auth', [80])];
  const validator = await validatorOf(findDefinitions(process.env));
  const known = new Set(registry.getEnum('envoy.type.v3.StatusCode')?.values.map(({ number }) => number));
  t.true(known.has(503));
  for (let statusOnError = 400; statusOnError < 600; statusOnError += 1) {
    const forwardAuth = { backendRef: { name: 'auth', port: 80 }, statusOnError };
    const { value, faults } = resolve('forwardAuth', forwardAuth, { objects });
    t.is(value?.statusOnError, known.has(statusOnError) ? statusOnError : undefined, String(statusOnError));
    if (!value) t.regex(faults.join(), new RegExp(`statusOnError ${statusOnError} is unknown`));
    const { result } = validator.validate(ownObject('AccessPolicy', 'p', { targetRefs: [target], forwardAuth }));
    t.is(result === 'valid', known.has(statusOnError), String(statusOnError));
  }
});

test('forwardAuth: how the server is asked is a backend of its own, and headers that are not for a policy to write close the part', (t) => {
  const objects = [service('auth', [80])];
  const read = (http: object, more: object = {}) =>
    resolve('forwardAuth', { backendRef: { name: 'auth', port: 80 }, http, ...more }, { objects }).value;
  t.is(read({ method: 'GET', allowWith: 'Successful', path: '/a?b=../c' })?.backend, 'default/auth/80/ask/GET.2xx');
  t.is(read({ allowWith: 'OK' })?.backend, 'default/auth/80');
  t.deepEqual(read({ setHeaders: [{ name: 'X-A', value: '%REQ(:path)% 5%%' }] })?.setHeaders, [
    { name: 'x-a', value: [{ kind: 'header', of: 'request', name: ':path' }, ' 5%'] },
  ]);
  t.deepEqual(read({}, { exceptClientIPs: ['10.0.0.0/8'] })?.exceptClientIPs, [
    { address: '10.0.0.0', prefixLength: 8 },
  ]);
  for (const [name, value] of [
    ...['host', 'content-length', 'x-forwarded-for', 'x-gw-a', 'x-envoy-a', 'a b'].map((each) => [each, 'a']),
    ...['%ENVIRONMENT(HOME)%', '%SECRET(a)%', '%RESP(a)%', 'a\r\nb: c', '%'].map((each) => ['x-a', each]),
  ])
    t.is(read({ setHeaders: [{ name, value }] }), undefined, `${name}: ${value}`);
  t.is(read({}, { exceptClientIPs: ['10.0.0/8'] }), undefined);
});

test('forwardAuth: where to sign in is a URL, or a path of the same host', (t) => {
  const objects = [service('auth', [80])];
  const read = (url: string, more: object = {}) =>
    resolve('forwardAuth', { backendRef: { name: 'auth', port: 80 }, signIn: { url, ...more } }, { objects }).value
      ?.signIn;
  t.deepEqual(read('https://id.test/start'), { url: 'https://id.test/start', returnParam: 'rd' });
  t.deepEqual(read('/', { returnParam: 'next' }), { url: '/', returnParam: 'next' });
  for (const good of ['http://id.test', 'https://[::1]:8443?a=b', '/a//b?c=/d']) t.truthy(read(good), good);
  const bad = [
    '//evil.test',
    '/\\evil.test',
    'https:/id.test',
    'javascript:alert(1)',
    'id.test',
    'https://a@b/',
    '/a#b',
    '/a b',
    '/a\r\nset-cookie:x',
    '',
  ];
  for (const url of bad) t.is(read(url), undefined, url);
});

const rule = (when: object | undefined, action = 'Allow') => ({
  rules: [{ name: 'r', action, ...(when && { when }) }],
});
const jwt = provider({ inline: '{}' });

test('authorization: rules in the words of the IR', (t) => {
  const when = {
    methods: ['GET'],
    paths: [{ prefix: '/a/' }, { prefix: '/' }, { exact: '/b' }, { regex: '/c.*' }],
    headers: [{ name: 'X-Team', values: ['a'] }],
    clientIPs: ['10.0.0.0/8'],
    jwt: {
      provider: 'staff',
      claims: [
        { name: 'a.b', values: ['1'] },
        { path: ['a', 'b'], values: ['2'] },
      ],
    },
  };
  t.deepEqual(resolve('authorization', rule(when), { more: { jwt } }).value, {
    default: 'Deny',
    rules: [
      {
        id: 'default/p/r',
        action: 'Allow',
        when: [
          {
            methods: ['GET'],
            paths: [
              { kind: 'prefix', value: '/a' },
              { kind: 'prefix', value: '/' },
              { kind: 'exact', value: '/b' },
              { kind: 'regex', value: '/c.*' },
            ],
            headers: [{ name: 'x-team', values: [{ kind: 'exact', value: 'a' }] }],
            clientIPs: [{ address: '10.0.0.0', prefixLength: 8 }],
            jwt: {
              provider: 'default/p/staff',
              scopes: [],
              claims: [
                { path: ['a.b'], values: ['1'] },
                { path: ['a', 'b'], values: ['2'] },
              ],
            },
          },
        ],
      },
    ],
  });
  t.deepEqual(resolve('authorization', rule(undefined)).value?.rules[0]?.when, []);
  t.deepEqual(
    resolve('authorization', rule({ jwt: { provider: 'infra/edge/staff' } })).value?.rules[0]?.when[0]?.jwt?.provider,
    'infra/edge/staff',
  );
});

test('authorization: what cannot hold, or would hold without a token, closes the part', (t) => {
  const faultOf = (spec: object, more = {}) => {
    const { value, faults } = resolve('authorization', spec, { more });
    t.is(value, undefined, JSON.stringify(spec));
    return faults.join();
  };
  t.regex(
    faultOf(rule({ jwt: { provider: 'nobodys' } }), { jwt }),
    /rule r: jwt\.provider nobodys is none of this policy's: it has staff/,
  );
  t.regex(faultOf({ default: 'Allow', ...rule({ jwt: { provider: 'staff' } }, 'Deny') }, { jwt }), /set default: Deny/);
  t.regex(faultOf(rule({ jwt: { provider: 'staff' }, not: true }), { jwt }), /write a Deny rule/);
  t.truthy(resolve('authorization', rule({ jwt: { provider: 'staff' }, not: true }, 'Deny'), { more: { jwt } }).value);
  t.regex(faultOf(rule({ clientIPs: ['10.0.0.1/8'] })), /rule r: clientIPs\[0\]/);
  t.regex(faultOf(rule({ paths: [{ regex: '(?=x)' }] })), /not RE2/);
  t.regex(faultOf(rule({ paths: [{ regex: '((a{100}){100}){100}' }] })), /too large/);
  for (const prefix of ['/a//b', '/a/./b', '/a/%2E%2e/b', '/a?b', 'a'])
    t.regex(faultOf(rule({ paths: [{ prefix }] })), /not how a request's path reads/, prefix);
  t.regex(faultOf(rule({ headers: [{ name: ':path', values: ['/'] }] })), /not the name of a header/);
  t.regex(faultOf(rule({ cel: 'user == 1' })), /^Invalid authorization rule r: cel 1:1: user is not available/);
  t.regex(faultOf(rule({ cel: 'true' }, 'Deny')), /cel is for Allow rules/);
  t.regex(faultOf(rule({ cel: 'true', not: true })), /write ! in cel/);
  t.regex(faultOf(rule({ cel: 'has(jwt.nobodys)' }), { jwt }), /jwt has no provider "nobodys"/);
  const many = Array.from({ length: 17 }, (_, index) => ({
    name: `r${index}`,
    action: 'Allow',
    when: { cel: 'true' },
  }));
  t.regex(faultOf({ rules: many }), /17 conditions with cel, and may have 16/);
  t.truthy(resolve('authorization', { rules: many.slice(1) }).value);
});
