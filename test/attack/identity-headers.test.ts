import { createHash } from 'node:crypto';
import type { RequestListener } from 'node:http';
import test, { type ExecutionContext } from 'ava';
import { serviceObjects, startBackend } from '../support/http.ts';
import { exchange, rawRequest } from '../support/raw-http.ts';
import { routeObject, startStandalone } from '../support/standalone.ts';
import { until } from '../support/until.ts';

// A client that writes the headers by which backends learn who it is, where one of several credentials is enough and the others' filters do not run.

const sha = createHash('sha1').update('secret').digest('base64');
const objectsOf = (name: string, stringData: Record<string, string>) => ({
  apiVersion: 'v1',
  kind: 'Secret',
  metadata: { name, labels: { 'gatewright.dev/credentials': 'true' } },
  stringData,
});
const secrets = [objectsOf('clients', { bob: 'k1' }), objectsOf('users', { '.htpasswd': `alice:{SHA}${sha}\n` })];

const policy = (target: object, more: object) => ({
  apiVersion: 'gatewright.dev/v1alpha1',
  kind: 'AccessPolicy',
  metadata: { name: 'one-of' },
  spec: {
    targetRefs: [{ group: 'gateway.networking.k8s.io', ...target }],
    satisfy: 'Any',
    apiKeys: { secretRefs: [{ name: 'clients' }], from: [{ header: 'x-api-key' }], identityHeader: 'x-client' },
    basicAuth: { secretRef: { name: 'users' }, userHeader: 'x-user' },
    ...more,
  },
});

/** The whole program, with the policy on the target, and a backend that keeps the header lines it got. */
async function world(t: ExecutionContext, target: object, more: object = {}) {
  const lines: string[][] = [];
  const keep: RequestListener = (request, response) => {
    lines.push(
      request.rawHeaders.flatMap((name, index, all) => (index % 2 ? [] : `${name.toLowerCase()}: ${all[index + 1]}`)),
    );
    response.end('ok');
  };
  const web = await startBackend(t, keep);
  const to = [{ name: 'all', backendRefs: [{ name: 'web', port: 80 }] }];
  const gateway = await startStandalone({
    'all.yaml': [
      ...serviceObjects('web', [web.port]),
      ...secrets,
      routeObject('exact', 'shop.test', to),
      routeObject('wide', '*.wild.test', to),
      policy(target, more),
    ],
  });
  t.teardown(() => gateway.stop());
  const ask = async (host: string, ...headers: readonly string[]) =>
    (await exchange(gateway.port, rawRequest('/', [`Host: ${host}`, ...headers]))).status;
  await until('the policy to hold', async () => [401, 200].includes(await ask('shop.test')));
  const identity = () => (lines.at(-1) ?? []).filter((line) => /^x[-_](user|client)/.test(line));
  return { ask, identity };
}

const forged = ['X-User: root', 'x-user: root', 'X-CLIENT: root', 'x-client: root', 'x-client: bob', 'x-user:'];
const targets = [
  { kind: 'Gateway', name: 'edge' },
  { kind: 'HTTPRoute', name: 'exact' },
  { kind: 'HTTPRoute', name: 'exact', sectionName: 'all' },
];
const hostsOf = ({ kind }: { readonly kind: string }) =>
  kind === 'Gateway' ? ['shop.test', 'SHOP.TEST', 'a.wild.test'] : ['shop.test', 'Shop.Test'];

for (const target of targets) {
  const where = `${target.kind}${'sectionName' in target ? ', one rule' : ''}`;
  test(`${where}: no forged identity reaches a backend, however it is written`, async (t) => {
    const { ask, identity } = await world(t, target);
    for (const host of hostsOf(target)) {
      t.is(await ask(host, ...forged), 401, host);
      t.is(await ask(host, ...forged, 'x-api-key: k1'), 200, host);
      t.deepEqual(identity(), ['x-client: bob'], host);
      const basic = `Authorization: Basic ${Buffer.from('alice:secret').toString('base64')}`;
      t.is(await ask(host, ...forged, basic), 200, host);
      t.deepEqual(identity(), ['x-user: alice'], host);
      t.is(await ask(host, ...forged, basic, 'x-api-key: wrong'), 200, `${host}: one is looked at`);
      t.deepEqual(identity(), ['x-user: alice'], host);
      t.not(await ask(host, 'x_user: root', 'x-api-key: k1'), 200, `${host}: underscores are rejected`);
      t.is(await ask(host, 'x-api-key: wrong', 'x-api-key: k1'), 401, `${host}: of two keys the first counts`);
      t.is(
        await ask(host, 'x-api-key: wrong', basic.replace('Basic', 'basic ')),
        401,
        `${host}: a scheme in small letters`,
      );
    }
  });
}

test('an address that is enough is that of the connection: X-Forwarded-For of a stranger counts for nothing', async (t) => {
  const gateway = { kind: 'Gateway', name: 'edge' };
  const { ask } = await world(t, gateway, { clientIPs: { allow: ['10.0.0.0/8'] } });
  for (const host of hostsOf(gateway)) {
    t.is(await ask(host, 'X-Forwarded-For: 10.0.0.1'), 401, host);
    t.is(await ask(host, 'X-Real-IP: 10.0.0.1', 'X-Envoy-External-Address: 10.0.0.1'), 401, host);
  }
});

test('an address that is enough lets in without more, and its client does not name itself', async (t) => {
  const { ask, identity } = await world(
    t,
    { kind: 'Gateway', name: 'edge' },
    { clientIPs: { allow: ['127.0.0.0/8'] } },
  );
  for (const host of ['shop.test', 'a.wild.test']) {
    t.is(await ask(host, ...forged, 'x-api-key: wrong'), 200);
    t.deepEqual(identity(), [], host);
  }
});
