import { readFileSync } from 'node:fs';
import test, { type ExecutionContext } from 'ava';
import { parseAllDocuments } from 'yaml';
import { freePort } from '../../scripts/free-port.ts';
import { convertEnvoyGateway, SourceObjects, sourceObjectOf } from '../../src/migrate/index.ts';
import { send, serviceObjects, startBackend } from '../support/http.ts';
import { isCurrent, startStandalone } from '../support/standalone.ts';
import { untilFits } from '../support/until.ts';

/** What objects of Envoy Gateway are converted to, served by a real Envoy. */

const parsed = (text: string): readonly object[] =>
  parseAllDocuments(text).map((document) => document.toJS() as object);

async function startConverted(t: ExecutionContext) {
  const [web, outside] = await Promise.all(
    ['web', 'outside'].map((name) =>
      startBackend(t, (request, response) => {
        request.resume();
        response.end(
          JSON.stringify({
            name,
            path: request.url,
            client: request.headers['x-client'],
            internal: request.headers['x-internal-a'],
          }),
        );
      }),
    ),
  );
  const port = await freePort();
  const text = readFileSync(new URL('../support/migrate/envoy-gateway.yaml', import.meta.url), 'utf8')
    .replaceAll('PORT', String(port))
    .replaceAll('ADDRESS', String(outside?.port));
  const objects = new SourceObjects();
  for (const value of parsed(text)) {
    const object = sourceObjectOf(value);
    if (object !== undefined) objects.add(object);
  }
  const { files } = convertEnvoyGateway(objects, { suffix: '-new', without: new Set() });
  // Nothing answers for `gone`.
  const services = [...serviceObjects('web', [web?.port ?? 0]), ...serviceObjects('gone', [])].map((object) => {
    const { metadata } = object as { readonly metadata: object };
    return { ...object, metadata: { ...metadata, namespace: 'shop' } };
  });
  const secret = {
    apiVersion: 'v1',
    kind: 'Secret',
    metadata: { name: 'clients', namespace: 'shop', labels: { 'gatewright.dev/credentials': 'true' } },
    stringData: { ann: 'key-of-ann' },
  };
  const run = await startStandalone({
    'gateway.yaml': [...files.values()].flatMap(parsed),
    'services.yaml': [...services, secret],
  });
  t.teardown(run.stop);
  await untilFits('all of it to be applied', async () => isCurrent(run), Boolean);
  return async (host: string, path = '/', headers: Readonly<Record<string, string>> = {}, body?: string) => {
    const answer = await send(port, { host, path, headers, ...(body !== undefined && { method: 'POST', body }) });
    return { status: answer.status, headers: answer.headers, body: answer.body };
  };
}

const office = { 'x-forwarded-for': '192.0.2.7' };

test('objects of Envoy Gateway are served as they are meant, and what has no equivalent here is closed', async (t) => {
  const ask = await startConverted(t);

  // The Gateway's policies hold for a route without policies of its own.
  t.is((await ask('office.test')).status, 403);
  t.is((await ask('office.test', '/', office)).status, 418, 'faults of the Gateway');

  // A policy of a route takes the place of the Gateway's, as there.
  const open = await ask('open.test', '/x', { 'x-internal-a': 'forged', origin: 'https://app.example.com' });
  t.is(open.status, 200);
  t.is(open.headers['x-served-by'], 'edge');
  t.is(open.headers['access-control-allow-origin'], 'https://app.example.com');
  t.deepEqual(JSON.parse(open.body), { name: 'web', path: '/x' });
  t.is((await ask('open.test', '/', {}, 'b'.repeat(2000))).status, 413);
  t.is((await ask('open.test', '/', {}, 'b'.repeat(200))).status, 200);

  t.is((await ask('keys.test')).status, 401);
  const known = await ask('keys.test', '/', { 'x-key': 'key-of-ann', 'x-client': 'forged' });
  t.is(known.status, 200);
  t.like(JSON.parse(known.body), { client: 'ann' });

  // Whether an address is one of Tor is not known here.
  for (const headers of [{}, office]) t.is((await ask('far.test', '/', headers)).status, 403);

  t.like(JSON.parse((await ask('parts.test', '/users/7/x')).body), { name: 'web', path: '/u/7/x' });
  const gone = await ask('parts.test', '/closed');
  t.deepEqual([gone.status, gone.body], [410, 'gone']);
  t.is((await ask('parts.test', '/cookies', { cookie: 'a=1; b=2' })).status, 500);
  t.like(JSON.parse((await ask('parts.test', '/outside')).body), { name: 'outside' });
  t.like(
    JSON.parse((await ask('parts.test', '/standby')).body),
    { name: 'outside' },
    'the fallback of a Service without endpoints',
  );
});

test('limits of a rule count each value by itself', async (t) => {
  const ask = await startConverted(t);
  const statuses = async (user: string | undefined, count: number) => {
    const found: number[] = [];
    for (let index = 0; index < count; index += 1)
      found.push((await ask('parts.test', '/few', user === undefined ? {} : { 'x-user': user })).status);
    return found;
  };
  t.deepEqual(await statuses('ann', 3), [200, 200, 429]);
  t.deepEqual(await statuses('bob', 2), [200, 200]);
  t.deepEqual(await statuses(undefined, 3), [200, 200, 200], 'who has no such header is not counted');
});
