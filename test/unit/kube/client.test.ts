import { once } from 'node:events';
import { createServer } from 'node:net';
import { KubeConfig } from '@kubernetes/client-node';
import test from 'ava';
import { freePort } from '../../../scripts/free-port.ts';
import { kinds } from '../../../src/gateway-api/index.ts';
import { KubeClient, KubeError, resourcePath } from '../../../src/kube/index.ts';
import { jsonLines } from '../../../src/kube/json-lines.ts';
import { failure, json, object, page, ScriptedApi } from './scripted-api.ts';

test('paths of types and objects', (t) => {
  t.is(resourcePath(kinds.Service), '/api/v1/services');
  t.is(resourcePath(kinds.HTTPRoute, 'a'), '/apis/gateway.networking.k8s.io/v1/namespaces/a/httproutes');
  t.is(
    resourcePath(kinds.GatewayClass, undefined, 'x', 'status'),
    '/apis/gateway.networking.k8s.io/v1/gatewayclasses/x/status',
  );
});

test('all pages of a list are one list', async (t) => {
  await using api = await ScriptedApi.start(page([object('a', '1')], '5', 'next'), page([object('b', '2')], '5'));
  const items = await api.client.list(kinds.Service, { namespace: 'n', labelSelector: 'a=b' });
  t.deepEqual(
    items.map((item) => item.metadata.name),
    ['a', 'b'],
  );
  t.is(api.requests[1]?.search, '?limit=500&continue=next&labelSelector=a%3Db');
});

const answers = test.macro(async (t, status: number, reason: string, code: string) => {
  await using api = await ScriptedApi.start(failure(status, reason));
  const error = await t.throwsAsync(api.client.get(kinds.Service, { namespace: 'n', name: 'x' }), {
    instanceOf: KubeError,
  });
  t.like(error, { code, status, reason });
  t.regex(String(error?.message), /^GET http:\/\/127\.0\.0\.1:\d+\/api\/v1\/namespaces\/n\/services\/x: /);
  t.notRegex(String(error?.message), /secret-token/);
});
test('401', answers, 401, 'Unauthorized', 'unauthorized');
test('403', answers, 403, 'Forbidden', 'forbidden');
test('409 of a version', answers, 409, 'Conflict', 'conflict');
test('409 of a name', answers, 409, 'AlreadyExists', 'already-exists');
test('422', answers, 422, 'Invalid', 'invalid');
test('500', answers, 500, 'InternalError', 'unavailable');

test('what is not there is undefined to find and an error to get', async (t) => {
  await using api = await ScriptedApi.start(failure(404, 'NotFound'));
  t.is(await api.client.find(kinds.Service, { namespace: 'n', name: 'x' }), undefined);
  t.like(await t.throwsAsync(api.client.get(kinds.Service, { namespace: 'n', name: 'x' })), { code: 'not-found' });
});

test('an answer that is not JSON is malformed, not a crash', async (t) => {
  await using api = await ScriptedApi.start((_, response) => response.writeHead(200).end('<html>'));
  t.like(await t.throwsAsync(api.client.version()), { code: 'malformed' });
});

test('a server that is not there, and one that never answers', async (t) => {
  // It has to read, although it says nothing: a socket that is not read never notices that its peer has gone, and keeps the server open.
  const port = await freePort();
  const silent = createServer((socket) => socket.on('error', () => {}).resume()).listen(port, '127.0.0.1');
  await once(silent, 'listening');
  const config = new KubeConfig();
  config.loadFromClusterAndUser({ name: 'x', server: `http://127.0.0.1:${port}`, skipTLSVerify: true }, { name: 'u' });
  const client = new KubeClient(config);
  t.like(await t.throwsAsync(client.version({ timeoutMs: 50 })), { code: 'timeout' });
  silent.close();
  await once(silent, 'close');
  const error = await t.throwsAsync(client.version());
  t.like(error, { code: 'unreachable' });
  t.regex(String(error?.message), /ECONNREFUSED/);
});

test('a signal ends a request', async (t) => {
  await using api = await ScriptedApi.start(() => undefined);
  t.like(await t.throwsAsync(api.client.version({ signal: AbortSignal.timeout(20) })), { code: 'aborted' });
});

test('writes say who they are, and what must still be so', async (t) => {
  const seen: { method?: string; type?: string; body: unknown; url: string }[] = [];
  await using api = await ScriptedApi.start((request, response) => {
    let text = '';
    request.on('data', (chunk: Buffer) => {
      text += chunk.toString();
    });
    request.on('end', () => {
      seen.push({
        method: request.method ?? '',
        type: request.headers['content-type'] ?? '',
        body: JSON.parse(text),
        url: request.url ?? '',
      });
      json(200, {})(request, response);
    });
  });
  const ref = { namespace: 'n', name: 'x' };
  await api.client.patchStatus(kinds.Gateway, ref, { resourceVersion: '7', status: { a: 1 } });
  await api.client.delete(kinds.Gateway, ref, { uid: 'u' });
  await api.client.apply(kinds.Service, { apiVersion: 'v1', kind: 'Service', metadata: ref });
  t.deepEqual(seen, [
    {
      method: 'PATCH',
      type: 'application/merge-patch+json',
      url: '/apis/gateway.networking.k8s.io/v1/namespaces/n/gateways/x/status?fieldManager=gatewright',
      body: { metadata: { resourceVersion: '7' }, status: { a: 1 } },
    },
    {
      method: 'DELETE',
      type: 'application/json',
      url: '/apis/gateway.networking.k8s.io/v1/namespaces/n/gateways/x',
      body: { apiVersion: 'v1', kind: 'DeleteOptions', preconditions: { uid: 'u' } },
    },
    {
      method: 'PATCH',
      type: 'application/apply-patch+yaml',
      url: '/api/v1/namespaces/n/services/x?fieldManager=gatewright&force=true',
      body: { apiVersion: 'v1', kind: 'Service', metadata: ref },
    },
  ]);
});

test('lines of JSON in chunks of any size', async (t) => {
  const text = Buffer.from('{"a":"ä"}\n\n{"b":2}\n{"cut":');
  for (const size of [1, 2, 3, 7, 100]) {
    const chunks = Array.from({ length: Math.ceil(text.length / size) }, (_, index) =>
      text.subarray(index * size, (index + 1) * size),
    );
    const stream = (async function* () {
      yield* chunks;
    })();
    const values: unknown[] = [];
    for await (const value of jsonLines(stream)) values.push(value);
    t.deepEqual(values, [{ a: 'ä' }, { b: 2 }]);
  }
});
