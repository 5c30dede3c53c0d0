import { createHash, createHmac, createPublicKey } from 'node:crypto';
import test from 'ava';
import bcrypt from 'bcryptjs';
import { CompactSign, compactVerify, importJWK, type JWK } from 'jose';
import { judgeAccess } from '../../src/offline/access/index.ts';
import { PasswordChecks } from '../../src/passwords/index.ts';
import { send } from '../support/http.ts';
import {
  basicCredentials,
  type SignedText,
  signedQuotes,
  signedTokens,
  symmetricToken,
  unsignedTexts,
} from '../support/rfc-vectors.ts';
import {
  policyConditionsOf,
  routeObject,
  type Standalone,
  startStandalone,
  untilCurrent,
} from '../support/standalone.ts';
import { until, untilFits } from '../support/until.ts';

/** The examples that RFCs publish, against the running program: a control plane, an agent and a real Envoy. */

const policy = (name: string, spec: object): object => ({
  apiVersion: 'gatewright.dev/v1alpha1',
  kind: 'AccessPolicy',
  metadata: { name },
  spec: { targetRefs: [{ group: 'gateway.networking.k8s.io', kind: 'HTTPRoute', name }], ...spec },
});

const tokensBy = (keys: readonly JWK[], more: object = {}) => ({
  jwt: { providers: [{ name: 'joe', issuer: 'joe', jwks: { inline: JSON.stringify({ keys }) }, ...more }] },
});

const users = (name: string, hash: (password: string) => string): object => ({
  apiVersion: 'v1',
  kind: 'Secret',
  metadata: { name },
  stringData: { '.htpasswd': basicCredentials.map(({ user, password }) => `${user}:${hash(password)}\n`).join('') },
});

const publicOf = ({ kty, crv, n, e, x, y, kid, use }: JWK): JWK =>
  JSON.parse(JSON.stringify({ kty, crv, n, e, x, y, kid, use })) as JWK;

const all = [...signedTokens, ...signedQuotes];
const publicKeys = all.map(({ key }) => publicOf(key));
const seconds = () => Math.floor(Date.now() / 1000);

const policies: Readonly<Record<string, object>> = {
  tokens: tokensBy(publicKeys),
  secret: tokensBy([symmetricToken.key]),
  mixed: tokensBy([symmetricToken.key, ...publicKeys]),
  plain: { basicAuth: { secretRef: { name: 'sha' }, userHeader: 'x-user' } },
  hashed: { basicAuth: { secretRef: { name: 'bcrypt' }, userHeader: 'x-user' } },
};

/** With a host NAME.test for each policy. */
let gateway: Standalone;

test.before(async (t) => {
  t.timeout(600_000);
  gateway = await startStandalone();
  gateway.write(
    'web.yaml',
    ...(await gateway.backend('web')),
    users('sha', (password) => `{SHA}${createHash('sha1').update(password).digest('base64')}`),
    users('bcrypt', (password) => bcrypt.hashSync(password, 4)),
    ...Object.entries(policies).flatMap(([name, spec]) => [
      routeObject(name, `${name}.test`, [{ backendRefs: [{ name: 'web', port: 80 }] }]),
      policy(name, spec),
    ]),
  );
  for (const name of Object.keys(policies))
    await until(`${name}.test to be protected`, async () => [401, 500].includes((await ask(name)).status));
  // By all of the proxy's threads.
  await untilCurrent(gateway);
});
test.after.always(() => gateway.stop());

const ask = (name: string, authorization?: string) =>
  send(gateway.port, { host: `${name}.test`, headers: authorization === undefined ? {} : { authorization } });

async function signedBy({ key, alg }: SignedText, header: object = {}, claims: object = {}): Promise<string> {
  const bytes = new TextEncoder().encode(JSON.stringify({ iss: 'joe', exp: seconds() + 3600, ...claims }));
  const { kid } = key;
  return new CompactSign(bytes)
    .setProtectedHeader({ alg, ...(kid !== undefined && { kid }), ...header })
    .sign(await importJWK(key, alg), { crit: { x: true } });
}

/** The text with the first bit of its signature changed. */
function changed(text: string): string {
  const [header, payload, signature = ''] = text.split('.');
  const bytes = Buffer.from(signature, 'base64url');
  bytes.writeUInt8(bytes.readUInt8(0) ^ 1, 0);
  return `${header}.${payload}.${bytes.toString('base64url')}`;
}

test('the examples are as in the RFCs', async (t) => {
  for (const { rfc, alg, key, text } of [...all, symmetricToken]) {
    await t.notThrowsAsync(async () => compactVerify(text, await importJWK(publicOrSecret(key), alg)), rfc);
    await t.throwsAsync(
      async () => compactVerify(changed(text), await importJWK(publicOrSecret(key), alg)),
      undefined,
      rfc,
    );
  }
  // Algorithms that draw no random number give the text of the RFC again: the private keys are as printed, too.
  for (const { rfc, alg, key, text } of all.filter((each) => ['RS256', 'EdDSA'].includes(each.alg))) {
    const { payload, protectedHeader } = await compactVerify(text, await importJWK(publicOf(key), alg));
    const again = new CompactSign(payload).setProtectedHeader(protectedHeader).sign(await importJWK(key, alg));
    t.is(await again, text, rfc);
  }
  for (const { user, password, header } of basicCredentials)
    t.deepEqual(header.split(' '), ['Basic', Buffer.from(`${user}:${password}`).toString('base64')]);
});

const publicOrSecret = (key: JWK): JWK => (key.kty === 'oct' ? key : publicOf(key));

test('by the keys of RFC 7515, 7520 and 8037 tokens are taken; what they sign without claims is rejected', async (t) => {
  const answer = async (token: string) => {
    const { status, headers, body } = await ask('tokens', `Bearer ${token}`);
    return { status, challenge: headers['www-authenticate'], body };
  };
  const { status, headers } = await ask('tokens');
  t.deepEqual([status, headers['www-authenticate']], [401, 'Bearer realm="http://tokens.test/"']);
  const challenged = 'Bearer realm="http://tokens.test/", error="invalid_token"';
  for (const vector of all) {
    const token = await signedBy(vector);
    t.is((await answer(token)).status, 200, `RFC ${vector.rfc}, ${vector.alg}`);
    t.like(await answer(changed(token)), { status: 401, challenge: challenged }, vector.rfc);
    // Of several keys without a name, Envoy says what the last one lacks.
    t.regex((await answer(changed(token))).body, /verification fails|signature is wrong length/i, vector.rfc);
    const other = all.find(({ key }) => key.kty !== vector.key.kty) as SignedText;
    const [, payload, signature] = (await signedBy(other)).split('.');
    t.is((await answer(`${token.split('.')[0]}.${payload}.${signature}`)).status, 401, `${vector.alg} by ${other.alg}`);
  }
  // Times come before the signature: what a route test says of these tokens in their time is below.
  for (const { rfc, text } of signedTokens)
    for (const token of [text, changed(text)])
      t.deepEqual(await answer(token), { status: 401, challenge: challenged, body: 'Jwt is expired' }, rfc);
  for (const { rfc, text } of signedQuotes)
    t.deepEqual(
      await answer(text),
      { status: 401, challenge: challenged, body: 'Jwt payload is an invalid JSON' },
      rfc,
    );
  for (const text of unsignedTexts)
    for (const token of [text, `${text}AAAA`])
      t.like(await answer(token), { status: 401, challenge: challenged }, token);
});

test('in the time of RFC 7515 a route test takes its tokens, and none with a changed bit', async (t) => {
  const keys = JSON.stringify({ keys: publicKeys });
  const provider = {
    id: 'a/b/c',
    issuer: 'joe',
    audiences: [],
    keys,
    from: [],
    forwardToken: false,
    claimsToHeaders: [],
  };
  const judged = (token: string, now: Date) =>
    judgeAccess(
      { table: [], rule: { route: { jwt: { optional: false, providers: [provider] } } } },
      {
        method: 'GET',
        path: '/',
        header: (name) => (name === 'authorization' ? [`Bearer ${token}`] : []),
        address: '127.0.0.1',
        now,
        passwords: new PasswordChecks(),
      },
    );
  const inTime = new Date(1_300_819_380_000);
  for (const { rfc, text } of signedTokens) {
    t.is((await judged(text, inTime)).verdict, 'passes', rfc);
    t.regex(JSON.stringify(await judged(changed(text), inTime)), /signature does not hold/, rfc);
    t.regex(JSON.stringify(await judged(text, new Date())), /token expired/, rfc);
  }
});

test('a key that both sides know is in no policy, and signs no token', async (t) => {
  await untilFits(
    'the policy to say so',
    () => policyConditionsOf(gateway, 'secret'),
    (text) => /Accepted=False Invalid .*has no public key of type RSA, EC or OKP/.test(text),
  );
  t.is((await ask('secret', `Bearer ${symmetricToken.text}`)).status, 500);
  const live = async (key: Uint8Array | string, kid?: string) => {
    const bytes = new TextEncoder().encode(JSON.stringify({ iss: 'joe', exp: seconds() + 3600 }));
    const head = Buffer.from(JSON.stringify({ alg: 'HS256', ...(kid !== undefined && { kid }) })).toString('base64url');
    const input = `${head}.${Buffer.from(bytes).toString('base64url')}`;
    return `${input}.${createHmac('sha256', key).update(input).digest('base64url')}`;
  };
  const secrets = [
    Buffer.from(symmetricToken.key.k ?? '', 'base64url'),
    ...publicKeys.flatMap((key) => [
      createPublicKey({ key: key as never, format: 'jwk' }).export({ type: 'spki', format: 'pem' }),
      JSON.stringify(key),
      Buffer.from(key.n ?? key.x ?? '', 'base64url'),
    ]),
  ];
  for (const secret of secrets)
    for (const kid of [undefined, 'bilbo.baggins@hobbiton.example'])
      t.is((await ask('mixed', `Bearer ${await live(secret, kid)}`)).status, 401);
  t.is((await ask('mixed', `Bearer ${symmetricToken.text}`)).status, 401);
  t.is((await ask('mixed', `Bearer ${await signedBy(signedTokens[0] as SignedText)}`)).status, 200);
});

test('proxies do not look at what a signed token calls critical', async (t) => {
  const token = await signedBy(signedTokens[0] as SignedText, { crit: ['x'], x: 1 });
  t.is((await ask('tokens', `Bearer ${token}`)).status, 200);
});

test('the credentials of RFC 7617 let their users in, by Envoy and by the agent', async (t) => {
  const latin1 = Buffer.from('test:123£', 'latin1').toString('base64');
  for (const name of ['plain', 'hashed']) {
    t.regex((await ask(name)).headers['www-authenticate'] ?? '', /^Basic realm="[^"]+"$/);
    for (const { user, header } of basicCredentials) {
      const { status, body } = await ask(name, header);
      t.is(status, 200, `${name}, ${user}`);
      t.is((JSON.parse(body) as { headers: Record<string, string> }).headers['x-user'], user);
    }
    t.is((await ask(name, `Basic ${latin1}`)).status, 401, `${name}: £ as one byte`);
    t.is((await ask(name, `Basic ${Buffer.from('Aladdin:open  sesame').toString('base64')}`)).status, 401);
  }
});
