import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import test, { type ExecutionContext } from 'ava';
import { exportJWK } from 'jose';
import Provider, { type Configuration } from 'oidc-provider';
import { send, serviceObjects, startBackend } from '../support/http.ts';
import {
  issuer,
  json,
  jwtPolicy,
  type KeyServer,
  keyServerAddresses,
  keySet,
  type Signer,
  signer,
  startKeyServer,
} from '../support/key-server.ts';
import { thorough } from '../support/repetitions.ts';
import {
  policyConditionsOf,
  routeObject,
  type Standalone,
  startStandalone,
  untilCurrent,
} from '../support/standalone.ts';
import { until, untilFits } from '../support/until.ts';

/** Keys that the control plane fetches, through the running program: a real https server, a real Envoy, real tokens. */

interface World {
  readonly gateway: Standalone;
  readonly ask: (host: string, token?: string) => Promise<number>;
  readonly conditions: (policy: string) => string;
}

const host = 'web.test';

/** A route `web` for web.test and one `open` without a policy. */
async function world(t: ExecutionContext, policy: readonly object[], state?: string): Promise<World> {
  const web = await startBackend(t);
  const gateway = await startStandalone(
    {
      'web.yaml': [
        ...serviceObjects('web', [web.port]),
        routeObject('web', host, [{ backendRefs: [{ name: 'web', port: 80 }] }]),
        routeObject('open', 'open.test', [{ backendRefs: [{ name: 'web', port: 80 }] }]),
      ],
      'policy.yaml': policy,
    },
    { allowedAddresses: [...keyServerAddresses], ...(state !== undefined && { stateDirectory: state }) },
  );
  t.teardown(() => gateway.stop());
  const ask = async (to: string, token?: string) =>
    (await send(gateway.port, { host: to, ...(token && { headers: { authorization: `Bearer ${token}` } }) })).status;
  await until('the open route to serve', async () => (await ask('open.test')) === 200);
  return { gateway, ask, conditions: (name) => policyConditionsOf(gateway, name) };
}

/** Resolves when the token is taken, by all of the proxy's threads. */
async function served({ ask, gateway }: World, token: string): Promise<void> {
  await until('the token to be taken', async () => (await ask(host, token)) === 200);
  await untilCurrent(gateway);
}

/** Authorities that changed have keys fetched again at once. */
const touched = (server: KeyServer, count: number): object => {
  const trust = server.trust('id-ca') as { data: Record<string, string> };
  return { ...trust, data: { 'ca.crt': `${trust.data['ca.crt']}\n# ${count}\n` } };
};

thorough(test)(
  'until keys are fetched their routes answer 503 and no other does; then tokens are verified by them',
  async (t) => {
    const server = await startKeyServer(t);
    const ann = await signer('one');
    const policy = jwtPolicy('idp', 'web', { url: `${server.url}/keys`, caCertificateRefs: [{ name: 'id-ca' }] });
    const all = await world(t, [policy, server.trust('id-ca')]);
    const { ask, conditions, gateway } = all;
    t.is(await ask(host, await ann.token()), 503);
    t.notRegex((await send(gateway.port, { host })).body, /Bad Request/);
    t.is(await ask('open.test'), 200);
    await untilFits(
      'the status to say so',
      () => conditions('idp'),
      (text) => /ResolvedRefs=False KeysNotFetched .*answers 404; until then its targets are answered 503/.test(text),
    );
    t.regex(conditions('idp'), /Accepted=True/);
    server.answer = json(keySet([ann]));
    await served(all, await ann.token());
    t.is(await ask(host), 401);
    t.is(await ask(host, await (await signer('one')).token()), 401, 'another key of the same name');
    t.is(await ask(host, await ann.token({}, { expires: '2 hours ago' })), 401, 'expired');
    t.is(await ask(host, await ann.token({ iss: 'https://other' })), 401, 'another issuer');
    await untilFits(
      'the status to be well',
      () => conditions('idp'),
      (text) => /ResolvedRefs=True/.test(text),
    );
    const metrics = await (await fetch(`http://127.0.0.1:${gateway.control.ports.metrics}/metrics`)).text();
    t.regex(metrics, /gatewright_key_fetches_total\{outcome="success"\} [1-9]/);
    t.regex(metrics, /gatewright_key_fetches_total\{outcome="invalid"\} [1-9]/);
    t.regex(metrics, /gatewright_key_sets_oldest_age_seconds \d*\.?\d+/);
    t.true(gateway.log.some(({ component, msg }) => component === 'keys' && /answers 404/.test(String(msg))));
  },
);

thorough(test)(
  'keys that change under load give no wrong answer, and neither does a provider that fails and is gone',
  async (t) => {
    const server = await startKeyServer(t);
    const signers: [Signer, Signer] = [await signer('old'), await signer('new')];
    const [old, next] = signers;
    server.answer = json(keySet([old]));
    const policy = jwtPolicy('idp', 'web', { url: `${server.url}/keys`, caCertificateRefs: [{ name: 'id-ca' }] });
    const all = await world(t, [policy, server.trust('id-ca')]);
    const { ask, conditions, gateway } = all;
    await served(all, await old.token());
    const stranger = await (await signer('new')).token();
    let current = await old.token();
    let isOver = false;
    const wrong: string[] = [];
    let asked = 0;
    const client = async () => {
      while (!isOver) {
        const [good, bad] = await Promise.all([ask(host, current), ask(host, stranger)]);
        asked += 2;
        if (good !== 200 || bad !== 401) wrong.push(`${good} ${bad}`);
        await new Promise((resolve) => setTimeout(resolve, 5));
      }
    };
    const clients = Promise.all([client(), client(), client()]);
    let count = 0;
    const rotate = async (set: readonly Signer[], token: string, status: number) => {
      server.answer = json(keySet(set));
      count += 1;
      gateway.write('policy.yaml', policy, touched(server, count));
      await until(`keys of step ${count}`, async () => (await ask(host, token)) === status);
      // Clients ask by the new keys then, at any of the proxy's threads.
      await untilCurrent(gateway);
    };
    // A busy machine asks less between two changes.
    for (let round = 0; round < 3 || asked <= 100; round += 1) {
      const [from, to] = round % 2 === 0 ? [old, next] : [next, old];
      await rotate([from, to], await to.token(), 200);
      current = await to.token();
      await rotate([to], await from.token(), 401);
    }
    const saysWhy = async (why: RegExp) => {
      count += 1;
      gateway.write('policy.yaml', policy, touched(server, count));
      await untilFits(`the status to say ${why}`, () => conditions('idp'), why.test.bind(why));
      const before = asked;
      await until('more requests', async () => asked > before + 50);
    };
    server.answer = (_, response) => response.writeHead(500).end();
    await saysWhy(/ResolvedRefs=False KeysStale .*answers 500/);
    await server.stop();
    await saysWhy(/ResolvedRefs=False KeysStale (?!.*answers 500)/);
    isOver = true;
    await clients;
    t.deepEqual(wrong, []);
    t.log(`${asked} requests over ${count} changes`);
  },
);

thorough(test)(
  'while a provider is down its last keys stay in force, also over a restart, and the status says since when',
  async (t) => {
    const server = await startKeyServer(t);
    const ann = await signer('one');
    server.answer = json(keySet([ann]));
    const policy = jwtPolicy('idp', 'web', { url: `${server.url}/keys`, caCertificateRefs: [{ name: 'id-ca' }] });
    const first = await world(t, [policy, server.trust('id-ca')]);
    await served(first, await ann.token());
    server.answer = (_, response) => response.writeHead(500).end();
    first.gateway.write('policy.yaml', policy, touched(server, 1));
    await untilFits(
      'the status to say so',
      () => first.conditions('idp'),
      (text) => /ResolvedRefs=False KeysStale .*answers 500; those of 20\d\d-.* stay in force/.test(text),
    );
    t.is(await first.ask(host, await ann.token()), 200);
    const { stateDirectory } = first.gateway;
    const kept = await untilFits(
      'the failure to be in the file, which is written behind the status',
      () => readFileSync(join(stateDirectory, 'fetched-keys.json'), 'utf8'),
      (text) => text.includes('failure.json'),
    );
    await server.stop();
    const second = await world(t, [policy, server.trust('id-ca')], stateDirectory);
    t.is(await second.ask(host, await ann.token()), 200, 'the first answer after the restart');
    t.is(await second.ask(host), 401);
    t.is(await second.ask(host, await ann.token({}, { expires: '-2m' })), 401, 'one that has expired');
    t.is(await second.ask(host, await (await signer('one')).token()), 401, 'of another key with the same name');
    t.regex(kept, /"gatewright.dev\/fetched-at"/);
    t.regex(second.conditions('idp'), /KeysStale/);
  },
);

thorough(test)('an issuer’s document says where its keys are, and must be its own', async (t) => {
  const server = await startKeyServer(t);
  const ann = await signer('one');
  let own = server.url;
  server.answer = (request, response) =>
    request.url === '/.well-known/openid-configuration'
      ? json(JSON.stringify({ issuer: own, jwks_uri: `${server.url}/jwks` }))(request, response)
      : json(keySet([ann]))(request, response);
  own = 'https://mallory.example';
  const policy = jwtPolicy(
    'idp',
    'web',
    { discovery: {}, caCertificateRefs: [{ name: 'id-ca' }] },
    { issuer: server.url },
  );
  const all = await world(t, [policy, server.trust('id-ca')]);
  await untilFits(
    'the status to say so',
    () => all.conditions('idp'),
    (text) => /DiscoveryFailed .*is of issuer "https:\/\/mallory.example", and not of https:\/\/localhost/.test(text),
  );
  t.is(await all.ask(host, await ann.token({ iss: server.url })), 503);
  own = server.url;
  await served(all, await ann.token({ iss: server.url }));
  t.is(await all.ask(host, await ann.token({ iss: issuer })), 401);
});

thorough(test)('the keys of a real OpenID provider are found by its discovery document', async (t) => {
  const server = await startKeyServer(t);
  const ann = await signer('one');
  const keys = [{ ...(await exportJWK(ann.privateKey)), kid: 'one', alg: 'ES256', use: 'sig' }];
  server.answer = new Provider(server.url, { jwks: { keys } } as Configuration).callback();
  const jwks = { discovery: {}, caCertificateRefs: [{ name: 'id-ca' }] };
  const all = await world(t, [jwtPolicy('idp', 'web', jwks, { issuer: server.url }), server.trust('id-ca')]);
  await served(all, await ann.token({ iss: server.url }));
  t.is(await all.ask(host, await ann.token()), 401);
  t.deepEqual(server.requests.slice(0, 2), ['/.well-known/openid-configuration', '/jwks']);
});

test('a Service gives keys, by the names of its endpoints', async (t) => {
  const ann = await signer('one');
  const idp = await startBackend(t, json(keySet([ann])));
  const policy = jwtPolicy('idp', 'web', { backendRef: { name: 'idp', port: 80, path: '/keys?a=b' } });
  const all = await world(t, [policy, ...serviceObjects('idp', [idp.port])]);
  await served(all, await ann.token());
  t.is(idp.requests[0], '/keys?a=b');
  t.is(idp.seen[0]?.host, 'idp.default');
  t.is(await all.ask(host), 401);
});
