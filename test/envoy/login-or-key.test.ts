import test from 'ava';
import { ScriptedBrowser } from '../../scripts/example/scripted-browser.ts';
import type { KeyServer } from '../support/key-server.ts';
import {
  exactHost,
  gatewayTarget,
  lateHost,
  loginPolicy,
  loginWorld,
  routeTarget,
  sends302,
} from '../support/login-world.ts';
import { signer } from '../support/tokens.ts';

/** A login that is one of several credentials, by `passThrough` and `satisfy: Any`, with a real provider and a real Envoy. */

/** A login, or a key: what has a key needs no login. */
const loginOrKey = (provider: Pick<KeyServer, 'url'>, more: object = {}) =>
  loginPolicy(
    'login',
    gatewayTarget,
    provider,
    { passThrough: [{ header: { name: 'x-api-key' } }], forward: { idTokenHeader: 'x-id-token' } },
    {
      satisfy: 'Any',
      apiKeys: { secretRefs: [{ name: 'keys' }], from: [{ header: 'x-api-key' }], identityHeader: 'x-client' },
      jwt: {
        providers: [
          {
            name: 'id',
            issuer: provider.url,
            jwks: { discovery: {}, caCertificateRefs: [{ name: 'id-ca' }] },
            from: { headers: [{ name: 'x-id-token' }] },
            claimsToHeaders: [{ claim: 'sub', header: 'x-user' }],
          },
        ],
      },
      ...more,
    },
  );
const keysOfClients = {
  apiVersion: 'v1',
  kind: 'Secret',
  metadata: { name: 'keys', labels: { 'gatewright.dev/credentials': 'true' } },
  stringData: { ann: 'key-of-ann' },
};

test('a login or a key is enough, and a route’s own token is demanded beside either', async (t) => {
  const staff = signer('staff');
  const own = {
    apiVersion: 'gatewright.dev/v1alpha1',
    kind: 'AccessPolicy',
    metadata: { name: 'own' },
    spec: {
      targetRefs: [{ group: 'gateway.networking.k8s.io', kind: 'HTTPRoute', name: 'wild' }],
      jwt: { providers: [{ name: 'staff', jwks: { inline: JSON.stringify({ keys: [staff.jwk] }) } }] },
    },
  };
  const world = await loginWorld(t, { policies: ({ provider }) => [loginOrKey(provider), own, keysOfClients] });
  await sends302(new ScriptedBrowser(), world.page(exactHost));
  const key = { 'x-api-key': 'key-of-ann' };
  const token = { authorization: `Bearer ${staff.token({ sub: 'eve' })}` };
  const forged = { 'x-user': 'root', 'x-client': 'root', 'x-id-token': 'forged' };
  const user = new ScriptedBrowser();
  t.is((await user.logIn(world.page(exactHost), 'ann')).status, 200);
  t.is((await user.logIn(world.page(lateHost), 'ann')).status, 401, 'the route wants its own token, too');
  const asks = async (browser: ScriptedBrowser, host: string, headers: Record<string, string>) =>
    (await browser.ask(world.page(host), { headers })).status;
  for (const [browser, host, headers, status, seen] of [
    [new ScriptedBrowser(), exactHost, forged, 302],
    [new ScriptedBrowser(), exactHost, { ...forged, ...key }, 200, { 'x-client': 'ann' }],
    [new ScriptedBrowser(), exactHost, { 'x-api-key': 'wrong' }, 401],
    [new ScriptedBrowser(), exactHost, { 'x-api-key': '' }, 401],
    [user, exactHost, forged, 200, { 'x-user': 'ann' }],
    [user, exactHost, { 'x-api-key': 'wrong' }, 401],
    [new ScriptedBrowser(), lateHost, key, 401],
    [new ScriptedBrowser(), lateHost, token, 302],
    [new ScriptedBrowser(), lateHost, { ...key, ...token }, 200, { 'x-client': 'ann' }],
    [user, lateHost, token, 200, { 'x-user': 'ann' }],
  ] as const) {
    t.is(await asks(browser, host, headers), status, `${host} ${JSON.stringify(headers)}`);
    const { 'x-user': name, 'x-client': client, 'x-id-token': id, 'x-api-key': shown } = world.web.seen.at(-1) ?? {};
    if (seen) t.deepEqual({ name, client, id, shown }, { ...namesOf(seen), id: undefined, shown: undefined });
  }
});

const namesOf = (seen: { readonly 'x-user'?: string; readonly 'x-client'?: string }) => ({
  name: seen['x-user'],
  client: seen['x-client'],
});

test('a route that does without tokens, and not without the login, lets in no one whom the login lets pass', async (t) => {
  const lower = (name: string, overrides: readonly string[]) => ({
    apiVersion: 'gatewright.dev/v1alpha1',
    kind: 'AccessPolicy',
    metadata: { name },
    spec: { targetRefs: [{ group: 'gateway.networking.k8s.io', kind: 'HTTPRoute', name }], overrides },
  });
  const world = await loginWorld(t, {
    policies: ({ provider }) => [
      loginOrKey(provider, { overridable: ['any', 'oidc'] }),
      lower('web', ['any']),
      lower('wild', ['any', 'oidc']),
      keysOfClients,
    ],
  });
  await sends302(new ScriptedBrowser(), world.page(exactHost));
  const status = async (host: string, key?: string) =>
    (await new ScriptedBrowser().ask(world.page(host), { headers: key === undefined ? {} : { 'x-api-key': key } }))
      .status;
  t.is(await status(exactHost, 'wrong'), 401);
  t.is(await status(exactHost), 302);
  t.is(await status(exactHost, 'key-of-ann'), 200);
  t.is(await status(lateHost), 200);
  t.is(await status(lateHost, 'wrong'), 200);
  t.regex(world.conditions('web'), /OverrideNotAllowed any of default\/login stays in force/);
});

test('an older policy of the target that lets routes do without tokens lets in no one whom the login lets pass', async (t) => {
  const jwt = { providers: [{ name: 'staff', jwks: { inline: JSON.stringify({ keys: [signer('staff').jwk] }) } }] };
  const policy = (name: string, target: object, spec: object, created: string) => ({
    apiVersion: 'gatewright.dev/v1alpha1',
    kind: 'AccessPolicy',
    metadata: { name, creationTimestamp: created },
    spec: { targetRefs: [{ group: 'gateway.networking.k8s.io', ...target }], ...spec },
  });
  const passThrough = [{ header: { name: 'authorization', prefix: 'Bearer ' } }];
  const world = await loginWorld(t, {
    policies: ({ provider }) => [
      policy('older', gatewayTarget, { jwt, overridable: ['jwt'] }, '2020-01-01T00:00:00Z'),
      loginPolicy('login', gatewayTarget, provider, { passThrough }, { jwt }),
      policy('web', routeTarget('web'), { overrides: ['jwt', 'oidc'] }, '2021-01-01T00:00:00Z'),
    ],
  });
  await sends302(new ScriptedBrowser(), world.page(exactHost));
  for (const host of [exactHost, lateHost]) {
    const headers = { authorization: 'Bearer none' };
    t.is((await new ScriptedBrowser().ask(world.page(host), { headers })).status, 401, host);
  }
});
