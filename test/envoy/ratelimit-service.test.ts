import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import test from 'ava';
import { freePort } from '../../scripts/free-port.ts';
import { ensureRatelimit } from '../../scripts/setup/ratelimit.mjs';
import type { Endings } from '../support/endings.ts';
import { send, serviceObjects, startBackend } from '../support/http.ts';
import { isCurrent, routeObject, startStandalone } from '../support/standalone.ts';
import { until } from '../support/until.ts';
import { Valkey } from '../support/valkey.ts';

/* Envoy's own ratelimit service counts, in a Valkey. limit-service.test.ts has what it is asked, by a server that shows it. */

/** As docs/rate-limits.md writes it. A year, so that none ends in a test. */
const config = `
domain: shop
descriptors:
- key: tier
  value: free
  descriptors:
  - {key: user, rate_limit: {unit: year, requests_per_unit: 2}}
- key: bucket
  value: dear
  rate_limit: {unit: year, requests_per_unit: 10}
- key: bucket
  value: open
  rate_limit: {unit: year, requests_per_unit: 1}
- key: bucket
  value: closed
  rate_limit: {unit: year, requests_per_unit: 1}
`;

/** Its gRPC port. Ends with the test. */
async function startRatelimit(t: Endings, valkey: Valkey): Promise<number> {
  const program = await ensureRatelimit();
  const directory = mkdtempSync(join(tmpdir(), 'ratelimit-'));
  mkdirSync(join(directory, 'ratelimit/config'), { recursive: true });
  writeFileSync(join(directory, 'ratelimit/config/shop.yaml'), config);
  const [grpc = 0, http = 0, debug = 0] = await Promise.all(Array.from({ length: 3 }, freePort));
  const child = spawn(program, {
    stdio: 'ignore',
    env: {
      PORT: String(http),
      DEBUG_PORT: String(debug),
      GRPC_PORT: String(grpc),
      RUNTIME_ROOT: directory,
      RUNTIME_SUBDIRECTORY: 'ratelimit',
      RUNTIME_WATCH_ROOT: 'false',
      USE_STATSD: 'false',
      REDIS_SOCKET_TYPE: 'tcp',
      REDIS_URL: `127.0.0.1:${valkey.port}`,
    },
  });
  t.teardown(async () => {
    const ended = once(child, 'exit');
    if (child.kill('SIGKILL')) await ended;
    rmSync(directory, { recursive: true });
  });
  await until('the ratelimit service to be ready', async () => {
    if (child.exitCode !== null) throw new Error(`the ratelimit service ended: ${child.exitCode}`);
    return (await fetch(`http://127.0.0.1:${http}/healthcheck`).catch(() => undefined))?.status === 200;
  });
  return grpc;
}

const policy = (name: string, bucket: object, more: object = {}): object => ({
  apiVersion: 'gatewright.dev/v1alpha1',
  kind: 'RateLimitPolicy',
  metadata: { name },
  spec: {
    targetRefs: [{ group: 'gateway.networking.k8s.io', kind: 'HTTPRoute', name }],
    counting: 'Service',
    service: { backendRef: { name: 'ratelimit', port: 80 }, domain: 'shop', timeout: '10s' },
    buckets: [{ name, ...bucket }],
    ...more,
  },
});

const users = {
  descriptor: [{ key: 'tier', value: 'free' }],
  key: [{ type: 'Header', name: 'x-user', entry: 'user' }],
  headers: 'XRateLimit',
};

test("Envoy's ratelimit service counts what policies ask it, and onFailure decides without it", async (t) => {
  t.timeout(600_000);
  const valkey = await Valkey.start(t);
  const grpc = await startRatelimit(t, valkey);
  const backend = await startBackend(t);
  const toWeb = [{ backendRefs: [{ name: 'web', port: 80 }] }];
  const world = await startStandalone({
    'web.yaml': [
      ...serviceObjects('web', [backend.port]),
      ...serviceObjects('ratelimit', [grpc]),
      routeObject('users', '*.users.test', toWeb),
      ...['dear', 'open', 'closed', 'free'].map((name) => routeObject(name, `${name}.test`, toWeb)),
      policy('users', users),
      policy('dear', { cost: { request: { fromHeader: { name: 'x-cost', max: 9 } } } }),
      policy('open', {}),
      policy('closed', {}, { onFailure: 'Reject' }),
    ],
  });
  t.teardown(() => world.stop());
  const ask = (host: string, headers: Record<string, string> = {}) => send(world.port, { host, headers });
  const statusOf = async (host: string, headers: Record<string, string> = {}) => (await ask(host, headers)).status;
  await until('all of it to be served', async () => isCurrent(world) && (await statusOf('free.test')) === 200);

  const ann = { 'x-user': 'ann' };
  const first = await ask('a.users.test', ann);
  t.like(first, { status: 200, headers: { 'x-ratelimit-remaining': '1' } });
  t.is(await statusOf('b.users.test', ann), 200);
  for (const host of ['a.users.test', 'B.Users.test:80']) t.is(await statusOf(host, ann), 429, host);
  t.is(await statusOf('a.users.test', { 'x-user': 'bob' }), 200);

  t.is(await statusOf('dear.test', { 'x-cost': '9' }), 200);
  t.is(await statusOf('dear.test', { 'x-cost': '2' }), 429);

  for (const host of ['open.test', 'closed.test'])
    t.deepEqual([await statusOf(host), await statusOf(host)], [200, 429], host);
  await valkey.kill();
  t.is(await statusOf('open.test'), 200);
  t.is(await statusOf('closed.test'), 503);
});
