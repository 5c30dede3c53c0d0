import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { connect, type Socket } from 'node:net';
import { gzipSync } from 'node:zlib';
import test, { type ExecutionContext } from 'ava';
import { exchange, rawRequest } from '../support/raw-http.ts';
import { thorough } from '../support/repetitions.ts';
import { neighbours, startTrafficWorld, type TrafficWorld, trafficPolicy } from '../support/traffic-world.ts';
import { until } from '../support/until.ts';

/* A tenant whose TrafficPolicies name what is not his, and a stranger with huge and slow bodies, bombs and headers that steer proxies. */

const gateway = { kind: 'Gateway', name: 'edge' };
const web = { name: 'web' };
const mebibyte = 2 ** 20;
const piece = Buffer.alloc(mebibyte / 16, 'x');
const chunk = Buffer.concat([Buffer.from(`${piece.length.toString(16)}\r\n`), piece, Buffer.from('\r\n')]);

const aborted = (status: number, more: object = {}) => ({ faults: { abort: { status, percent: 100 }, ...more } });
const statusOf = async (world: TrafficWorld, host: string, headers: Record<string, string> = {}) =>
  (await world.ask(host, { headers })).status;

test('a tenant’s policy for another namespace’s route, or for the Gateway and listener that his routes share, does nothing', async (t) => {
  const world = await startTrafficWorld(t);
  const targets = [web, { ...web, sectionName: 'special' }, gateway, { ...gateway, sectionName: 'http' }];
  const foreign = targets.flatMap((target, index) =>
    [{}, { mode: 'Override' }].map((mode) => ({
      ...trafficPolicy('x', target, { ...aborted(418), requestBody: { maxBytes: '1' }, ...mode }),
      metadata: { name: `foreign-${index}-${'mode' in mode ? 'override' : 'default'}`, namespace: 'tenant' },
    })),
  );
  await world.rule(...foreign);
  for (const host of ['a.test', ...neighbours])
    for (const path of ['/', '/special'])
      t.is((await world.ask(host, { path, method: 'POST', body: 'more than a byte' })).status, 200, host + path);
  await world.rule(...foreign, trafficPolicy('own', web, aborted(419)));
  t.is(await statusOf(world, 'a.test'), 419, 'the policy of the route’s own namespace holds');
  t.is(await statusOf(world, 'n.test'), 200);
});

/** Bytes of bodies that reached the backend, by path. */
function countBodies(): {
  readonly bytes: Map<string, number>;
  readonly answer: (request: IncomingMessage, response: ServerResponse) => void;
} {
  const bytes = new Map<string, number>();
  return {
    bytes,
    answer(request, response) {
      const { url = '' } = request;
      bytes.set(url, bytes.get(url) ?? 0);
      request.on('data', (data: Buffer) => bytes.set(url, (bytes.get(url) ?? 0) + data.length));
      request.once('end', () => response.end('ok'));
      request.once('error', () => response.destroy());
    },
  };
}

interface Sender {
  readonly socket: Socket;
  /** What was answered so far. */
  text(): string;
}

/** A connection that has sent the head of a request with chunks. */
async function beginChunks(t: ExecutionContext, port: number, path: string): Promise<Sender> {
  const socket = connect(port, '127.0.0.1');
  t.teardown(() => socket.destroy());
  let text = '';
  socket.on('data', (data: Buffer) => {
    text += data.toString('latin1');
  });
  // A server that rejects ends the connection with bytes of ours still unread.
  socket.on('error', () => {});
  await once(socket, 'connect');
  socket.write(`POST ${path} HTTP/1.1\r\nHost: a.test\r\nTransfer-Encoding: chunked\r\n\r\n`);
  return { socket, text: () => text };
}

/** Sends at most so many pieces, as fast as they are taken. Gives the number of those sent until the connection ended. */
async function flood({ socket }: Sender, pieces: number): Promise<number> {
  for (let sent = 0; sent < pieces; sent++) {
    if (socket.destroyed || !socket.writable) return sent;
    if (!socket.write(chunk))
      await Promise.race(['drain', 'close'].map((event) => new Promise((done) => socket.once(event, done))));
  }
  return pieces;
}

thorough(test)(
  'a body without an end is answered 413, and no more of it than the limit reaches a backend',
  async (t) => {
    const { bytes, answer } = countBodies();
    const world = await startTrafficWorld(t, answer);
    await world.rule(trafficPolicy('web', web, { requestBody: { maxBytes: '1Mi' } }));
    const paths = Array.from({ length: 8 }, (_, index) => `/endless-${index}`);
    const pieces = (64 * mebibyte) / piece.length;
    await Promise.all(
      paths.map(async (path) => {
        const sender = await beginChunks(t, world.port, path);
        const sent = await flood(sender, pieces);
        await until('the answer', () => sender.text().length > 0);
        t.regex(sender.text(), /^HTTP\/1\.1 413 /, path);
        t.true(sent < pieces, 'the proxy stops reading');
      }),
    );
    for (const path of paths) t.true((bytes.get(path) ?? 0) <= mebibyte, `${path}: ${bytes.get(path)}`);
    t.is(await statusOf(world, 'n.test'), 200);
  },
);

thorough(test)(
  'slow bodies are not kept: a backend has each byte at once, and the one beyond the limit is answered 413',
  async (t) => {
    const { bytes, answer } = countBodies();
    const world = await startTrafficWorld(t, answer);
    await world.rule(trafficPolicy('web', web, { requestBody: { maxBytes: '4' } }));
    const paths = Array.from({ length: 32 }, (_, index) => `/slow-${index}`);
    const senders = await Promise.all(paths.map((path) => beginChunks(t, world.port, path)));
    for (const length of [1, 2, 3, 4]) {
      for (const { socket } of senders) socket.write('1\r\nx\r\n');
      await until(`${length} bytes of each`, () => paths.every((path) => bytes.get(path) === length));
      t.is(await statusOf(world, 'n.test'), 200, 'others are served meanwhile');
    }
    for (const { socket } of senders) socket.write('1\r\nx\r\n');
    await until('all answers', () => senders.every(({ text }) => text().length > 0));
    for (const { text } of senders) t.regex(text(), /^HTTP\/1\.1 413 /);
    t.true(paths.every((path) => bytes.get(path) === 4));
  },
);

/** The most memory that Envoy had so far, in bytes. */
function peakMemory({ log }: TrafficWorld): number {
  const started = log.findLast(({ msg }) => msg === 'Envoy started');
  const found = /^VmHWM:\s+(\d+) kB$/m.exec(readFileSync(`/proc/${Number(started?.pid)}/status`, 'utf8'));
  return Number(found?.[1]) * 1024;
}

thorough(test)('bodies below a high limit take no memory of the proxy', async (t) => {
  const { bytes, answer } = countBodies();
  const world = await startTrafficWorld(t, answer);
  await world.rule(trafficPolicy('web', web, { requestBody: { maxBytes: '64Mi' } }));
  const before = peakMemory(world);
  t.true(before > 16 * mebibyte, 'it is Envoy that is looked at');
  const paths = Array.from({ length: 12 }, (_, index) => `/large-${index}`);
  await Promise.all(
    paths.map(async (path) => {
      const sender = await beginChunks(t, world.port, path);
      await flood(sender, (16 * mebibyte) / piece.length);
      sender.socket.write('0\r\n\r\n');
      await until('the answer', () => sender.text().length > 0);
      t.regex(sender.text(), /^HTTP\/1\.1 200 /);
    }),
  );
  t.true(paths.every((path) => bytes.get(path) === 16 * mebibyte));
  const grown = peakMemory(world) - before;
  t.true(grown < 64 * mebibyte, `192 MiB of bodies: ${Math.round(grown / mebibyte)} MiB`);
});

test('what is compressed already, in a request or an answer, passes as it is: no bomb goes off in the proxy', async (t) => {
  const bomb = gzipSync(Buffer.alloc(32 * mebibyte));
  const { bytes, answer } = countBodies();
  const world = await startTrafficWorld(t, (request, response) => {
    if (request.method === 'POST') return answer(request, response);
    response.setHeader('content-type', 'text/html');
    response.setHeader('content-encoding', 'gzip');
    return response.end(bomb);
  });
  await world.rule(trafficPolicy('all', gateway, { compression: {}, requestBody: { maxBytes: '1Mi' } }));
  const { text, headers } = await exchange(
    world.port,
    rawRequest('/', ['Host: a.test', 'Accept-Encoding: zstd, br, gzip']),
  );
  t.deepEqual(headers.get('content-encoding'), ['gzip'], 'it is not compressed twice');
  t.true(text.length < bomb.length + mebibyte / 8, 'nor made longer');
  const socket = connect(world.port, '127.0.0.1');
  t.teardown(() => socket.destroy());
  const head = `POST /bomb HTTP/1.1\r\nHost: a.test\r\nContent-Encoding: gzip\r\nContent-Length: ${bomb.length}\r\n\r\n`;
  socket.write(Buffer.concat([Buffer.from(head), bomb]));
  const [first] = (await once(socket, 'data')) as [Buffer];
  t.regex(first.toString('latin1'), /^HTTP\/1\.1 200 /);
  t.is(bytes.get('/bomb'), bomb.length);
});

thorough(test)(
  'no Accept-Encoding gets an encoding that the client excludes, an error, or another route’s compression',
  async (t) => {
    const world = await startTrafficWorld(t, (_, response) => {
      response.setHeader('content-type', 'text/html');
      response.end('a text that is easy to compress, '.repeat(100));
    });
    await world.rule(
      trafficPolicy('all', gateway, { compression: {} }),
      trafficPolicy('web', web, { disabled: ['compression'] }),
    );
    const odd: readonly (readonly [string, readonly (string | undefined)[]])[] = [
      ['gzip;q=0', [undefined]],
      ['gzip;q=0, br;q=0, zstd;q=0, *', [undefined]],
      ['identity', [undefined]],
      ['gzip;q=0.0000, identity;q=0', [undefined]],
      ['*;q=0', [undefined]],
      ['compress, x-none', [undefined]],
      ['GZIP', ['gzip', undefined]],
      [',,;q=,=;;q', [undefined]],
      [`${'x,'.repeat(1000)}gzip`, ['gzip']],
    ];
    for (const [accepted, encodings] of odd) {
      const ask = (host: string) => world.ask(host, { headers: { 'accept-encoding': accepted } });
      const answer = await ask('n.test');
      t.is(answer.status, 200, accepted.slice(0, 40));
      t.true(encodings.includes(answer.headers['content-encoding']), accepted.slice(0, 40));
      t.is((await ask('a.test')).headers['content-encoding'], undefined, 'a route without compression');
    }
  },
);

const steering = [
  { 'x-envoy-fault-abort-request': '418' },
  { 'x-envoy-fault-abort-request': '418', 'x-envoy-fault-abort-request-percentage': '100' },
  { 'x-envoy-fault-abort-grpc-request': '14' },
  { 'x-envoy-fault-delay-request': '3600000', 'x-envoy-fault-delay-request-percentage': '100' },
  { 'x-envoy-fault-throughput-response': '1' },
] as const;

test('no header of a stranger makes a fault that no policy makes, and onlyWithHeader takes its exact value alone', async (t) => {
  const world = await startTrafficWorld(t);
  await world.rule(
    trafficPolicy('all', gateway, aborted(418, { onlyWithHeader: { name: 'x-test', value: 'secret' } })),
  );
  for (const headers of steering) t.is(await statusOf(world, 'n.test', headers), 200, JSON.stringify(headers));
  for (const value of ['', 'Secret', 'secret2', 'secret, secret', '*'])
    t.is(await statusOf(world, 'n.test', { 'x-test': value }), 200, value);
  t.is(await statusOf(world, 'n.test', { 'x-test': 'secret' }), 418);
  t.is(await statusOf(world, 'n.test'), 200, 'the next request meets none');
  await world.rule(trafficPolicy('all', gateway, { faults: { abort: { status: 418, percent: 0 } } }));
  for (const headers of steering) t.is(await statusOf(world, 'n.test', headers), 200, JSON.stringify(headers));
});

thorough(test)(
  'attempts of levels are not multiplied, and neither headers nor a number beyond the bound get more',
  async (t) => {
    const world = await startTrafficWorld(t, (_, response) => response.writeHead(503).end());
    const attemptsOf = async (host: string, headers: Record<string, string> = {}) => {
      const before = world.web.requests.length;
      t.is(await statusOf(world, host, headers), 503);
      return world.web.requests.length - before;
    };
    const retry = (attempts: number) => ({
      retry: { attempts, codes: [503], backoff: { base: '1ms', max: '2ms' } },
    });
    await world.rule(
      trafficPolicy('all', gateway, retry(5)),
      trafficPolicy('listener', { ...gateway, sectionName: 'http' }, retry(4)),
      trafficPolicy('web', web, retry(1)),
    );
    const asked = { 'x-envoy-max-retries': '50', 'x-envoy-retry-on': '5xx,retriable-status-codes' };
    for (const headers of [{}, asked, { ...asked, 'x-envoy-retriable-status-codes': '503,404' }]) {
      t.is(await attemptsOf('a.test', headers), 2, 'the route’s alone');
      t.is(await attemptsOf('n.test', headers), 5, 'the listener’s alone');
    }
    const excessive = trafficPolicy('excessive', web, retry(1000));
    await world.rule(excessive);
    // What left a file counts as removed a moment later.
    for (const host of ['a.test', 'n.test'])
      await until(`no retry at ${host}`, async () => (await attemptsOf(host, asked)) === 1);
    await world.rule(excessive);
    t.is(await attemptsOf('a.test', asked), 1, 'such a policy is no policy');
    t.is(await attemptsOf('n.test', asked), 1);
  },
);
