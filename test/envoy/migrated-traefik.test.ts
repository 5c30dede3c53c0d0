import { readFileSync } from 'node:fs';
import test, { type ExecutionContext } from 'ava';
import { parseAllDocuments } from 'yaml';
import { freePort } from '../../scripts/free-port.ts';
import { convertTraefik, SourceObjects, sourceObjectOf } from '../../src/migrate/index.ts';
import { send, serviceObjects, startBackend } from '../support/http.ts';
import { thorough } from '../support/repetitions.ts';
import { isCurrent, startStandalone } from '../support/standalone.ts';
import { untilFits } from '../support/until.ts';

/** What objects of Traefik are converted to, served by a real Envoy. */

const parsed = (text: string): readonly object[] =>
  parseAllDocuments(text).map((document) => document.toJS() as object);

const gatewayClass = {
  apiVersion: 'gateway.networking.k8s.io/v1',
  kind: 'GatewayClass',
  metadata: { name: 'gatewright' },
  spec: { controllerName: 'gatewright.dev/gateway-controller' },
};

const inNamespace = (objects: readonly object[], namespace: string): readonly object[] =>
  objects.map((object) => ({
    ...object,
    metadata: { ...(object as { readonly metadata: object }).metadata, namespace },
  }));

async function startConverted(t: ExecutionContext) {
  const backend = (name: string) =>
    startBackend(t, ({ url, headers }, response) => {
      const { 'x-from': from, 'x-secret': secret, 'x-forwarded-prefix': prefix, 'x-user': user } = headers;
      response.setHeader('server', 'backend').end(JSON.stringify({ name, path: url, from, secret, prefix, user }));
    });
  const [web, fresh] = [await backend('web'), await backend('new')];
  const auth = await startBackend(t, ({ headers }, response) => {
    response.statusCode = headers.cookie === 'session=ann' ? 202 : 401;
    response.setHeader('x-user', 'ann').end();
  });
  const port = await freePort();
  const objects = new SourceObjects();
  for (const value of parsed(readFileSync(new URL('../support/migrate/traefik.yaml', import.meta.url), 'utf8'))) {
    const object = sourceObjectOf(value);
    if (object !== undefined) objects.add(object);
  }
  const { files } = convertTraefik(objects, {
    gateway: { namespace: 'infra', name: 'edge' },
    gatewayClass: 'gatewright',
    httpPort: port,
    httpsPort: await freePort(),
    entryPoints: {},
    syntax: 'v3',
    without: new Set(),
  });
  const run = await startStandalone({
    'gateway.yaml': [gatewayClass, ...[...files.values()].flatMap(parsed)],
    'services.yaml': [
      ...inNamespace([...serviceObjects('web', [web.port]), ...serviceObjects('new', [fresh.port])], 'shop'),
      // Nothing answers for `gone`.
      ...inNamespace([...serviceObjects('auth', [auth.port]), ...serviceObjects('gone', [])], 'infra'),
    ],
  });
  t.teardown(run.stop);
  await untilFits('all of it to be applied', async () => isCurrent(run), Boolean);
  return async (host: string, path: string, headers: Readonly<Record<string, string>> = {}, method = 'GET') => {
    const answer = await send(port, { host, path, headers, method });
    return { ...answer, seen: answer.status === 200 ? (JSON.parse(answer.body) as Record<string, string>) : {} };
  };
}

test('objects of Traefik are served as they are meant, and what has no equivalent here is closed', async (t) => {
  const ask = await startConverted(t);
  t.like((await ask('shop.test', '/')).seen, { name: 'web', path: '/' });
  t.like((await ask('shop.test', '/other')).seen, { name: 'web', path: '/other' });

  // A chain: headers, then a prefix that is taken off, then one that is added. Prefixes are compared by characters.
  const api = await ask('shop.test', '/api/x?y=1', { 'x-secret': 'hidden', origin: 'https://app.example.com' });
  t.like(api.seen, { name: 'new', path: '/v1/x?y=1', from: 'traefik', prefix: '/api' });
  t.is(api.seen.secret, undefined);
  t.is(api.headers.server, undefined);
  t.is(api.headers['x-frame-options'], 'DENY');
  t.is(api.headers['access-control-allow-origin'], 'https://app.example.com');
  t.like((await ask('shop.test', '/api')).seen, { path: '/v1/' });
  t.like((await ask('shop.test', '/apix')).seen, { name: 'new', path: '/v1/x' });

  t.like((await ask('shop.test', '/users/7/x')).seen, { name: 'new', path: '/u/7/x' });
  t.like((await ask('shop.test', '/exact')).seen, { name: 'new', path: '/exact' });
  t.like((await ask('shop.test', '/exact', {}, 'POST')).seen, { name: 'web' });
  t.like((await ask('shop.test', '/?beta=1', { 'x-beta': 'yes' })).seen, { name: 'new' });

  t.like((await ask('shop.test', '/standby')).seen, { name: 'web' }, 'the fallback of a Service without endpoints');
  t.is((await ask('shop.test', '/office')).status, 403);
  t.is((await ask('shop.test', '/ask')).status, 401);
  t.like((await ask('shop.test', '/ask', { cookie: 'session=ann', 'x-user': 'forged' })).seen, { user: 'ann' });
  for (const path of ['/plugin', '/lost']) t.is((await ask('shop.test', path)).status, 403, path);

  const old = await ask('old.test', '/a/b?c=d');
  t.deepEqual([old.status, old.headers.location], [301, 'https://new.test/a/b?c=d']);
  const moved = await ask('old.test', '/docs/a/b?c=d');
  t.deepEqual([moved.status, moved.headers.location], [302, 'https://new.test/help/v1/a/b?c=d']);
  const broken = await ask('shop.test', '/broken/x');
  t.is(broken.status, 500, 'the status of the error stays');
  t.like(JSON.parse(broken.body), { name: 'new', path: '/oops/500.html' });
  const plain = await ask('plain.test', '/a');
  t.is(plain.status, 301);
  t.regex(plain.headers.location ?? '', /^https:\/\/plain\.test(:443)?\/a$/);
});

thorough(test)('a rate limit of Traefik counts each value of its header by itself', async (t) => {
  const ask = await startConverted(t);
  const statuses: number[] = [];
  for (const user of ['ann', 'ann', 'ann', 'bob'])
    statuses.push((await ask('shop.test', '/few', { 'x-user': user })).status);
  t.deepEqual(statuses, [200, 200, 429, 200]);
});
