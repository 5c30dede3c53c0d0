import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import http from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import test, { type ExecutionContext } from 'ava';
import { metricsAddon } from '../../src/addons/metrics-backend/admin/index.ts';
import { MetricsBackend } from '../../src/addons/metrics-backend/index.ts';
import { FileSettings } from '../../src/addons/settings/index.ts';
import type { ErrorBody } from '../../src/admin/index.ts';
import { loadConfig, SecretText } from '../../src/config/index.ts';
import { AddressGuard } from '../../src/outgoing/index.ts';
import { startAdmin, type TestAdmin } from '../support/admin.ts';
import { startBackend } from '../support/http.ts';
import { until } from '../support/until.ts';

/*
 * The metrics backend behind the admin API, against servers that are no Prometheus or a bad one. What a real one answers is in
 * test/envoy/metrics-backend.test.ts.
 */

interface Options {
  readonly allowLoopback?: boolean;
  readonly timeoutMs?: number;
  /** Of the configuration file. */
  readonly yaml?: string;
}

interface World {
  readonly admin: TestAdmin;
  readonly directory: string;
  put(body: object): Promise<Response>;
  post(path: string, body: object): Promise<Response>;
}

async function start(
  t: ExecutionContext,
  { allowLoopback = true, timeoutMs = 60_000, yaml = '' }: Options = {},
): Promise<World> {
  const directory = mkdtempSync(join(tmpdir(), 'gatewright-metrics-'));
  writeFileSync(join(directory, 'token'), 'Bearer from-a-file\n');
  writeFileSync(join(directory, 'config.yaml'), yaml);
  const { metricsBackend: defaults } = loadConfig(join(directory, 'config.yaml'), {});
  const metricsBackend = new MetricsBackend({
    store: new FileSettings(join(directory, 'state')),
    defaults,
    guard: new AddressGuard({ allowLoopback }),
    timeoutMs,
  });
  const admin = await startAdmin(undefined, { addons: () => [metricsAddon(metricsBackend)] });
  t.teardown(async () => {
    await admin.close();
    rmSync(directory, { recursive: true, force: true });
  });
  const send = (method: string) => (path: string, body: object) =>
    admin.layout1(path, { method, body: JSON.stringify(body), headers: { 'content-type': 'application/json' } });
  return { admin, directory, put: (body) => send('PUT')('/v1/metrics/config', body), post: send('POST') };
}

const query = { query: 'up' };
const success = '{"status":"success","data":{"resultType":"vector","result":[]}}';

const answering = (status: number, body: string, headers: http.OutgoingHttpHeaders = {}) =>
  ((_, response) => response.writeHead(status, headers).end(body)) satisfies http.RequestListener;

async function errorOf(response: Response): Promise<ErrorBody['error'] & { readonly status: number }> {
  return { status: response.status, ...((await response.json()) as ErrorBody).error };
}

test('without a backend queries are answered with nothing, and a warning that says why', async (t) => {
  const { admin, post } = await start(t);
  t.like(await (await admin.layout1('/v1/metrics/config')).json(), {
    configured: false,
    prometheusUrl: '',
    origin: 'none',
  });
  const vector = await (await post('/v1/metrics/query', query)).json();
  t.like(vector, { status: 'success', data: { resultType: 'vector', result: [] } });
  t.regex((vector as { warnings: string[] }).warnings[0] ?? '', /no metrics backend is configured/);
  const range = { ...query, start: '2026-01-02T03:00:00Z', end: '2026-01-02T04:00:00Z', step: '15s' };
  t.like(await (await post('/v1/metrics/query_range', range)).json(), { data: { resultType: 'matrix', result: [] } });
  t.like(await (await admin.layout1('/v1/dashboard/capabilities')).json(), { metrics: false, settings: true });
});

test('settings are kept, tested and shown masked; a header that comes back masked stays', async (t) => {
  const { admin, directory, put, post } = await start(t);
  const { port, seen } = await startBackend(t, answering(200, success));
  const prometheusUrl = `http://127.0.0.1:${port}/prom/`;
  const answer = await put({ prometheusUrl, authorization: 'Bearer abcdefgh' });
  t.is(answer.status, 200);
  const shown = (await answer.json()) as { readonly authorization: string };
  t.like(shown, {
    configured: true,
    prometheusUrl,
    authorization: '********efgh',
    authorizationSet: true,
    origin: 'settings',
  });
  t.like(shown, { test: { ok: true } });
  t.is((await put({ ...shown, tls: { serverName: 'other' } })).status, 200);
  t.is((await post('/v1/metrics/query', query)).status, 200);
  t.deepEqual(new Set(seen.map(({ authorization }) => authorization)), new Set(['Bearer abcdefgh']));
  t.like(await (await admin.layout1('/v1/metrics/config')).json(), { tls: { serverName: 'other' } });
  t.like(await (await admin.layout1('/v1/dashboard/capabilities')).json(), { metrics: true });
  t.true(readFileSync(join(directory, 'state/metrics-backend.json'), 'utf8').includes('abcdefgh'));
  t.false(admin.logLines.join('').includes('abcdefgh'));
  t.true(admin.logLines.some((line) => line.includes('admin write') && line.includes('/v1/metrics/config')));
  t.like(await (await put({ prometheusUrl, authorization: '' })).json(), { authorizationSet: false });
  t.like(await (await put({ prometheusUrl: '' })).json(), { configured: false, prometheusUrl: '' });
});

test('a header is not carried over to another server', async (t) => {
  const { put } = await start(t);
  const [one, other] = [await startBackend(t, answering(200, success)), await startBackend(t, answering(200, success))];
  await put({ prometheusUrl: `http://127.0.0.1:${one.port}`, authorization: 'Bearer abcdefgh' });
  const rejected = await errorOf(await put({ prometheusUrl: `http://127.0.0.1:${other.port}` }));
  t.like(rejected, { status: 422, code: 'settings_invalid', details: [{ path: 'authorization' }] });
  t.is((await put({ prometheusUrl: `http://127.0.0.1:${other.port}`, authorization: '' })).status, 200);
  t.deepEqual(
    other.seen.map(({ authorization }) => authorization),
    [undefined],
  );
});

test('the configuration file gives a backend, whose header is read from a file each time', async (t) => {
  const { port, seen } = await startBackend(t, answering(200, success));
  const yaml = `metricsBackend: {prometheusUrl: "http://127.0.0.1:${port}", authorizationFile: token}`;
  const { admin, directory, put, post } = await start(t, { yaml });
  t.like(await (await admin.layout1('/v1/metrics/config')).json(), {
    configured: true,
    authorization: '********file',
    origin: 'configuration',
  });
  await post('/v1/metrics/query', query);
  writeFileSync(join(directory, 'token'), 'Bearer rotated');
  await post('/v1/metrics/query', query);
  t.deepEqual(
    seen.map(({ authorization }) => authorization),
    ['Bearer from-a-file', 'Bearer rotated'],
  );
  // Still the same server: its header holds on.
  await put({ prometheusUrl: `http://127.0.0.1:${port}/prom` });
  t.is(seen.at(-1)?.authorization, 'Bearer rotated');
});

const invalid = test.macro({
  async exec(t, body: object, path: string, message: RegExp) {
    const { admin, put } = await start(t);
    const rejected = await errorOf(await put(body));
    t.like(rejected, { status: 422, code: 'settings_invalid' });
    t.is(rejected.details?.[0]?.path, path);
    t.regex(rejected.message, message);
    t.like(await (await admin.layout1('/v1/metrics/config')).json(), { origin: 'none' });
  },
  title: (_, body) => `settings ${JSON.stringify(body)} are rejected, and not kept`,
});
test(invalid, { prometheusUrl: 'ftp://prometheus' }, 'prometheusUrl', /only http and https/);
test(invalid, { prometheusUrl: 'prometheus' }, 'prometheusUrl', /no URL/);
test(invalid, { prometheusUrl: 7 }, 'prometheusUrl', /expected string/i);
test(invalid, {}, 'prometheusUrl', /expected string/i);
test(invalid, { prometheusUrl: 'http://169.254.169.254' }, 'prometheusUrl', /never called/);
test(invalid, { prometheusUrl: 'http://x', authorization: 'a\r\nb: c' }, 'authorization', /no header/);
test(invalid, { prometheusUrl: 'http://x', passwrd: 'a' }, '', /passwrd/);

test('this machine is called only when it may be', async (t) => {
  const { put, post } = await start(t, { allowLoopback: false });
  const { port, requests } = await startBackend(t, answering(200, success));
  t.like(await errorOf(await put({ prometheusUrl: `http://127.0.0.1:${port}` })), { status: 422 });
  // A name is looked at when it is resolved.
  t.like(await (await put({ prometheusUrl: `http://localhost:${port}` })).json(), { test: { ok: false } });
  const rejected = await errorOf(await post('/v1/metrics/query', query));
  t.like(rejected, { status: 502, code: 'metrics_backend_failed' });
  t.regex(rejected.message, /allowLoopback/);
  t.deepEqual(requests, []);
});

const badBackend = test.macro({
  async exec(t, listener: http.RequestListener, expected: { status: number; code: string; message: RegExp }) {
    const { put, post } = await start(t);
    const { port } = await startBackend(t, listener);
    const answer = (await (await put({ prometheusUrl: `http://127.0.0.1:${port}` })).json()) as {
      test: { ok: boolean };
    };
    t.false(answer.test.ok);
    const { message, ...fault } = await errorOf(await post('/v1/metrics/query', query));
    t.like(fault, { status: expected.status, code: expected.code });
    t.regex(message, expected.message);
  },
  title: (title = '') => title,
});
const failed = { status: 502, code: 'metrics_backend_failed' };
test(
  'what Prometheus says of a query is a 400 with its words',
  badBackend,
  answering(400, '{"status":"error","errorType":"bad_data","error":"1:3: parse error: unexpected"}'),
  { status: 400, code: 'promql_rejected', message: /^bad_data: 1:3: parse error/ },
);
test(
  'a query that cannot be carried out is a 400',
  badBackend,
  answering(422, '{"status":"error","errorType":"execution","error":"many-to-many matching not allowed"}'),
  { status: 400, code: 'promql_rejected', message: /many-to-many/ },
);
test('a backend in trouble is a 502 with its text', badBackend, answering(500, 'out of memory'), {
  ...failed,
  message: /answered 500: out of memory/,
});
test('a backend that rejects our credentials is a 502', badBackend, answering(401, 'Unauthorized'), {
  ...failed,
  message: /answered 401: Unauthorized/,
});
test(
  'a query that took the backend too long is a 504',
  badBackend,
  answering(503, '{"status":"error","errorType":"timeout","error":"query timed out in query execution"}'),
  { status: 504, code: 'metrics_backend_timeout', message: /timed out/ },
);
test('what is no Prometheus is a 502', badBackend, answering(200, '<html>hello</html>'), {
  ...failed,
  message: /not as Prometheus does/,
});
test('a redirect is not followed', badBackend, answering(302, '', { location: 'http://169.254.169.254/' }), {
  ...failed,
  message: /redirects to "http:\/\/169\.254\.169\.254\/", which is not followed/,
});
test(
  'an answer that is too long is not read to its end',
  badBackend,
  (_, response) => {
    const more = Buffer.alloc(1 << 20, ' ');
    response.writeHead(200);
    for (let mebibytes = 0; mebibytes < 10; mebibytes += 1) response.write(more);
    response.end();
  },
  { ...failed, message: /more than 8192 KiB/ },
);
test(
  'an answer that breaks off is a 502',
  badBackend,
  (_, response) => {
    response.writeHead(200, { 'content-length': '100' });
    response.write('{"status"', () => response.destroy());
  },
  { ...failed, message: /cannot be reached/ },
);

test('a backend that is not there is a 502', async (t) => {
  const { put, post } = await start(t);
  t.is((await put({ prometheusUrl: 'http://127.0.0.1:1' })).status, 200);
  t.like(await errorOf(await post('/v1/metrics/query', query)), failed);
});

test('a backend that does not answer is a 504', async (t) => {
  const { put, post } = await start(t, { timeoutMs: 50 });
  const { port } = await startBackend(t, () => {});
  t.like(await (await put({ prometheusUrl: `http://127.0.0.1:${port}` })).json(), { test: { ok: false } });
  t.like(await errorOf(await post('/v1/metrics/query', query)), { status: 504, code: 'metrics_backend_timeout' });
});

test('no more than 32 queries are under way at once, and one whose asker left is given up', async (t) => {
  const { admin, put } = await start(t);
  const held = new Set<http.ServerResponse>();
  let most = 0;
  const { port } = await startBackend(t, (request, response) => {
    if (held.size === 0 && most === 0) most = 1; // the test of the settings
    held.add(response);
    most = Math.max(most, held.size);
    response.once('close', () => held.delete(response));
    request.resume();
    if (most === 1) response.end(success);
  });
  await put({ prometheusUrl: `http://127.0.0.1:${port}` });
  await until('the test of the settings to be over', () => held.size === 0);
  most = 2;
  const asked = Array.from({ length: 40 }, () => {
    const sent = http.request(`http://127.0.0.1:${admin.ports.layout1}/v1/metrics/query`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      agent: false,
    });
    sent.on('error', () => {});
    sent.end(JSON.stringify(query));
    return sent;
  });
  await until('32 queries to be there', () => held.size === 32);
  for (const sent of asked.slice(0, 8)) sent.destroy();
  // The places of those who left are taken, whether they were asked already or still waited.
  await until(
    'the places to be taken',
    () => asked.filter(({ destroyed }) => !destroyed).length === 32 && held.size === 32,
  );
  for (const response of [...held]) response.end(success);
  t.is(most, 32);
  for (const sent of asked) sent.destroy();
});

test('a malformed body and a wrong question have other errors than a wrong query', async (t) => {
  const { admin, post } = await start(t);
  t.like(await errorOf(await post('/v1/metrics/query', {})), {
    status: 400,
    code: 'body_malformed',
    details: [{ path: 'query' }],
  });
  const text = { method: 'POST', body: '{', headers: { 'content-type': 'application/json' } };
  t.like(await errorOf(await admin.layout1('/v1/metrics/query', text)), { status: 400, code: 'body_malformed' });
});

test('the read-only token may ask, and not set', async (t) => {
  const directory = mkdtempSync(join(tmpdir(), 'gatewright-metrics-'));
  const metricsBackend = new MetricsBackend({
    store: new FileSettings(directory),
    defaults: loadConfig(undefined, {}).metricsBackend,
    guard: new AddressGuard({ allowLoopback: true }),
  });
  const tokens = { bearerToken: new SecretText('full'), readOnlyBearerToken: new SecretText('reading') };
  const admin = await startAdmin({ ...tokens, protect: [] }, { addons: () => [metricsAddon(metricsBackend)] });
  t.teardown(async () => {
    await admin.close();
    rmSync(directory, { recursive: true, force: true });
  });
  const headers = { authorization: 'Bearer reading', 'content-type': 'application/json' };
  const asked = await admin.layout1('/v1/metrics/query', { method: 'POST', body: '{"query": "up"}', headers });
  t.is(asked.status, 200);
  const set = await admin.layout1('/v1/metrics/config', { method: 'PUT', body: '{"prometheusUrl": ""}', headers });
  t.like(await errorOf(set), { status: 403, code: 'token_read_only' });
});

test('what is kept and not ours is named, with what to do', async (t) => {
  const { directory, post } = await start(t);
  mkdirSync(join(directory, 'state'));
  writeFileSync(join(directory, 'state/metrics-backend.json'), '{"url": 1}');
  const rejected = await errorOf(await post('/v1/metrics/query', query));
  t.like(rejected, { status: 503, code: 'settings_unavailable' });
  t.regex(rejected.message, /metrics-backend\.json are not ours: remove them/);
});

test('a page of another site cannot set the backend', async (t) => {
  const { admin } = await start(t);
  const answer = await admin.layout1('/v1/metrics/config', {
    method: 'PUT',
    body: '{"prometheusUrl":""}',
    headers: { 'content-type': 'application/json', origin: 'https://elsewhere.example' },
  });
  t.like(await errorOf(answer), { status: 403, code: 'origin_foreign' });
});
