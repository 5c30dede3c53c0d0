import { once } from 'node:events';
import { Metadata, Server, ServerCredentials, status } from '@grpc/grpc-js';
import test, { type ExecutionContext } from 'ava';
import { pino } from 'pino';
import { freePort } from '../../../scripts/free-port.ts';
import { type Access, AccessError, plainAccess } from '../../../src/agent/access/index.ts';
import type { Clock } from '../../../src/agent/clock.ts';
import { deltaRequest } from '../../../src/agent/relay/delta-messages.ts';
import { Relay } from '../../../src/agent/relay/relay.ts';
import { type DeltaServerStream, serveDelta } from '../../../src/agent/relay/service.ts';
import { Upstream } from '../../../src/agent/relay/upstream.ts';
import { SecretText } from '../../../src/config/index.ts';
import { typeUrls } from '../../../src/envoy/index.ts';
import { Backoff } from '../../../src/std/index.ts';
import { attemptsAt } from '../../support/attempts-at.ts';
import { unreachablePort } from '../../support/unreachable-port.ts';
import { until } from '../../support/until.ts';

const logger = pino({ level: 'silent' });

/** A control plane that treats its streams, counted from 1, as `handle` says. */
async function serve(
  t: ExecutionContext,
  handle: (stream: DeltaServerStream, count: number) => void,
  address = '127.0.0.1:0',
): Promise<string> {
  const server = new Server();
  let count = 0;
  serveDelta(server, (stream) => handle(stream, ++count));
  const port = await new Promise<number>((resolve, reject) => {
    server.bindAsync(address, ServerCredentials.createInsecure(), (error, bound) =>
      error ? reject(error) : resolve(bound),
    );
  });
  t.teardown(() => server.forceShutdown());
  return `127.0.0.1:${port}`;
}

/**
 * An upstream for an Envoy that wants clusters. Waits are not waited, or with `hold` never over; `waits` has them, and the
 * `until`th one ends it.
 */
function upstreamTo(
  address: string,
  {
    until,
    hold = false,
    access = plainAccess(),
    connectTimeoutMs,
  }: {
    readonly until: number;
    readonly hold?: boolean;
    readonly access?: Access;
    readonly connectTimeoutMs?: number;
  },
) {
  const relay = new Relay({ logger, now: () => new Date() });
  relay.envoyJoined(() => undefined);
  relay.envoyAsked(deltaRequest({ typeUrl: typeUrls.cluster }), Uint8Array.of());
  const waits: number[] = [];
  const stop = new AbortController();
  const clock: Clock = {
    now: () => new Date(),
    delay: async (ms) => {
      waits.push(ms);
      if (waits.length >= until) stop.abort();
      else if (hold) await once(stop.signal, 'abort');
    },
  };
  const random = () => 1;
  const upstream = new Upstream({
    address,
    access,
    relay,
    databaseFaults: () => [],
    reportToken: new SecretText('made up'),
    logger,
    clock,
    ...(connectTimeoutMs !== undefined && { connectTimeoutMs }),
    backoff: new Backoff({ baseMs: hold ? 60_000 : 100, maxMs: hold ? 60_000 : 5000, random }),
    supersededBackoff: new Backoff({ baseMs: 8000, maxMs: 120_000, random }),
  });
  return { upstream, waits, stop, run: () => upstream.run(stop.signal) };
}

const end = (stream: DeltaServerStream, code: status, details: string) => stream.emit('error', { code, details });

/** As the control plane does when it knows whose stream it is. */
const take = (stream: DeltaServerStream) => stream.sendMetadata(new Metadata());

test('a stream that breaks is opened again, with waits that grow', async (t) => {
  const address = await serve(t, (stream) => {
    take(stream);
    end(stream, status.UNAVAILABLE, 'shutting down');
  });
  const { upstream, waits, run } = upstreamTo(address, { until: 4 });
  await run();
  t.deepEqual(waits, [100, 200, 400, 800]);
  t.is(upstream.reconnects, 3);
  t.is(upstream.supersededCount, 0);
  t.is(upstream.connectedSince, undefined);
  t.is(upstream.lastDisconnectReason, 'UNAVAILABLE: shutting down');
});

test('what a stream takes is read before each one; without it there is no stream, and the reason is reported', async (t) => {
  let streams = 0;
  const address = await serve(t, (stream) => {
    streams += 1;
    end(stream, status.UNAVAILABLE, 'enough');
  });
  let reads = 0;
  const access: Access = {
    ...plainAccess(),
    async metadata() {
      reads += 1;
      if (reads < 3) throw new AccessError('dataplane.tokenFile: gone');
      return plainAccess().metadata();
    },
  };
  const { upstream, waits, run } = upstreamTo(address, { until: 2, access });
  await run();
  t.deepEqual(waits, [100, 200]);
  t.is(upstream.lastDisconnectReason, 'dataplane.tokenFile: gone');
  t.is(streams, 0);
  const later = upstreamTo(address, { until: 1, access });
  await later.run();
  t.is(streams, 1);
  t.is(later.upstream.lastDisconnectReason, 'UNAVAILABLE: enough');
});

test('a stream that is rejected is none: it counts as no reconnect', async (t) => {
  const address = await serve(t, (stream) => end(stream, status.PERMISSION_DENIED, 'not yours'));
  const { upstream, waits, run } = upstreamTo(address, { until: 3 });
  await run();
  t.deepEqual(waits, [100, 200, 400]);
  t.is(upstream.reconnects, 0);
  t.is(upstream.lastDisconnectReason, 'PERMISSION_DENIED: not yours');
});

test('a stream that ends before the control plane took it is none either', async (t) => {
  const address = await serve(t, (stream, count) => {
    if (count === 2) end(stream, status.UNAVAILABLE, 'still starting');
    else take(stream);
    if (count === 1) end(stream, status.UNAVAILABLE, 'shutting down');
  });
  const { upstream, stop, run } = upstreamTo(address, { until: Number.POSITIVE_INFINITY });
  const ended = run();
  await until('the third stream', () => upstream.lastDisconnectReason?.includes('starting') && upstream.connectedSince);
  t.is(upstream.reconnects, 1);
  stop.abort();
  await ended;
});

test('a superseded stream waits long, and longer each time', async (t) => {
  const address = await serve(t, (stream) => end(stream, status.ABORTED, 'superseded by a newer stream of node_id n'));
  const { upstream, waits, run } = upstreamTo(address, { until: 4 });
  await run();
  t.deepEqual(waits, [8000, 16_000, 32_000, 64_000]);
  t.is(upstream.supersededCount, 4);
});

test('a control plane that is not there is tried again, and nothing counts as a stream', async (t) => {
  const { upstream, waits, run } = upstreamTo('127.0.0.1:1', { until: 2 });
  await run();
  t.deepEqual(waits, [100, 200]);
  t.is(upstream.reconnects, 0);
  t.regex(upstream.lastDisconnectReason ?? '', /UNAVAILABLE: .*ECONNREFUSED/);
});

test('a control plane that comes up is called at once, not only when the wait is over', async (t) => {
  const address = `127.0.0.1:${await freePort()}`;
  const { upstream, waits, stop, run } = upstreamTo(address, { until: Number.POSITIVE_INFINITY, hold: true });
  const ended = run();
  await until('a failed attempt', () => waits.length === 1);
  await new Promise<void>((resolve) => void serve(t, () => resolve(), address));
  stop.abort();
  await ended;
  t.regex(upstream.lastDisconnectReason ?? '', /ECONNREFUSED/);
  t.is(waits.length, 1);
});

test.serial('attempts do not add up: the channel alone connects, and not faster than its own backoff', async (t) => {
  const attempts = attemptsAt(t, 1);
  const { waits, run } = upstreamTo('127.0.0.1:1', { until: 50 });
  await run();
  t.is(waits.length, 50);
  t.true(attempts.length <= 5, `${attempts.length} connections`);
});

test.serial('a node that is gone is not waited for as long as the kernel tries to reach it', async (t) => {
  const port = await unreachablePort(t);
  const attempts = attemptsAt(t, port);
  const { upstream, waits, run } = upstreamTo(`127.0.0.1:${port}`, { until: 3, connectTimeoutMs: 100 });
  await run();
  t.is(waits.length, 3);
  t.is(upstream.lastDisconnectReason, 'no connection in time');
  t.true(attempts.length >= 3, `${attempts.length} attempts`);
});

test('an answer that is no message ends the stream, and nothing else', async (t) => {
  const address = await serve(t, (stream) => {
    const resource = { name: 'x', version: '1', bytes: Uint8Array.of(0xff, 0xff) };
    stream.write({ typeUrl: typeUrls.cluster, nonce: '1', systemVersion: '', resources: [resource], removed: [] });
  });
  const { upstream, run } = upstreamTo(address, { until: 2 });
  await run();
  t.regex(upstream.lastDisconnectReason ?? '', /INTERNAL/);
});

test('a control plane that closes the stream in peace is called again', async (t) => {
  const address = await serve(t, (stream) => {
    take(stream);
    stream.end();
  });
  const { upstream, run } = upstreamTo(address, { until: 2 });
  await run();
  t.is(upstream.lastDisconnectReason, 'closed by the control plane');
  t.is(upstream.reconnects, 1);
});
