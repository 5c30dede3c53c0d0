import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import test, { type ExecutionContext } from 'ava';
import { chatbotAddon } from '../../src/addons/chatbot/admin/index.ts';
import { Chatbot } from '../../src/addons/chatbot/index.ts';
import { mcpAddon } from '../../src/addons/mcp/admin/index.ts';
import { metricsAddon } from '../../src/addons/metrics-backend/admin/index.ts';
import { MetricsBackend } from '../../src/addons/metrics-backend/index.ts';
import { FileSettings } from '../../src/addons/settings/index.ts';
import { loadConfig, SecretText } from '../../src/config/index.ts';
import { AddressGuard } from '../../src/outgoing/index.ts';
import { createLogger } from '../../src/telemetry/index.ts';
import { startAdmin } from '../support/admin.ts';

const origin = 'https://console.example.com';
const token = new SecretText('s3cret');

async function started(t: ExecutionContext, allowedOrigins: readonly string[] = [origin]) {
  const admin = await startAdmin({ bearerToken: token, allowedOrigins, protect: ['layout2'] });
  t.teardown(() => admin.close());
  return admin;
}

const preflight = (from: string) => ({
  method: 'OPTIONS',
  headers: { Origin: from, 'Access-Control-Request-Method': 'PUT', 'Access-Control-Request-Headers': 'authorization' },
});

test('a page of an allowed origin is answered before it shows a token', async (t) => {
  const { layout1, layout2 } = await started(t);
  for (const answered of [
    await layout1('/v1/resources', preflight(origin)),
    await layout2('/api/v1/routes', preflight(origin)),
  ]) {
    t.is(answered.status, 204);
    t.is(answered.headers.get('access-control-allow-origin'), origin);
    t.regex(answered.headers.get('access-control-allow-methods') ?? '', /PUT/);
    t.regex(answered.headers.get('access-control-allow-headers') ?? '', /Authorization/);
    t.regex(answered.headers.get('vary') ?? '', /Origin/);
    t.is(answered.headers.get('access-control-allow-credentials'), null);
  }
});

test('it may read answers, and why a request was rejected', async (t) => {
  const { layout1 } = await started(t);
  const read = await layout1('/v1/routes', { headers: { Origin: origin, Authorization: 'Bearer s3cret' } });
  t.is(read.status, 200);
  t.is(read.headers.get('access-control-allow-origin'), origin);
  t.regex(read.headers.get('access-control-expose-headers') ?? '', /X-Total-Count/);
  const rejected = await layout1('/v1/routes', { headers: { Origin: origin } });
  t.is(rejected.status, 401);
  t.is(rejected.headers.get('access-control-allow-origin'), origin);
});

test('it may write whatever may be written, which a page of another one may not', async (t) => {
  const directory = mkdtempSync(join(tmpdir(), 'gatewright-cors-'));
  const store = new FileSettings(directory);
  const guard = new AddressGuard({ allowLoopback: true });
  const { metricsBackend, chatbot } = loadConfig(undefined, {});
  const admin = await startAdmin(
    { bearerToken: token, allowedOrigins: [origin], protect: [] },
    {
      addons: (host) => [
        metricsAddon(new MetricsBackend({ store, defaults: metricsBackend, guard })),
        chatbotAddon(
          new Chatbot({
            store,
            defaults: chatbot,
            guard,
            ask: host.ask,
            handbookRoot: directory,
            onError: (error) => t.fail(String(error)),
          }),
        ),
        mcpAddon(host, {
          version: '1.2.3',
          logger: createLogger({ level: 'error', destination: { write: (line) => t.log(line) } }),
        }),
      ],
    },
  );
  t.teardown(async () => {
    await admin.close();
    rmSync(directory, { recursive: true, force: true });
  });
  const statusOf = async (method: string, path: string, body: string, from: string) => {
    const headers = { Origin: from, 'Sec-Fetch-Site': 'cross-site', Authorization: 'Bearer s3cret' };
    const answer = await admin.layout1(path, {
      method,
      body,
      headers: { ...headers, 'Content-Type': 'application/json' },
    });
    return answer.status;
  };
  for (const [method, path, body, status] of [
    ['PUT', '/v1/metrics/config', '{"prometheusUrl":""}', 200],
    ['PUT', '/v1/chatbot/config', '{}', 200],
    ['POST', '/v1/chatbot/chat', '[]', 400],
    ['POST', '/mcp', '[]', 400],
  ] as const) {
    t.is(await statusOf(method, path, body, origin), status, path);
    t.is(await statusOf(method, path, body, 'https://evil.example.com'), 403, path);
  }
});

test('a page of any other origin reads nothing', async (t) => {
  const { layout1 } = await started(t);
  for (const other of ['https://evil.example.com', 'http://console.example.com', `${origin}.evil.example`, 'null']) {
    t.is((await layout1('/v1/resources', preflight(other))).headers.get('access-control-allow-origin'), null, other);
    const read = await layout1('/v1/routes', { headers: { Origin: other, Authorization: 'Bearer s3cret' } });
    t.is(read.headers.get('access-control-allow-origin'), null, other);
  }
  const closed = await started(t, []);
  t.is((await closed.layout1('/v1/resources', preflight(origin))).headers.get('access-control-allow-origin'), null);
});
