import { once } from 'node:events';
import { connect } from 'node:tls';
import test, { type ExecutionContext } from 'ava';
import { readBody } from '../../../../src/kube/answers.ts';
import { KubeClient } from '../../../../src/kube/index.ts';
import type { Answer } from '../../../../src/kube/transport/answer.ts';
import { Http2Connection, type Http2Timing } from '../../../../src/kube/transport/http2-connection.ts';
import { Transport } from '../../../../src/kube/transport/transport.ts';
import { TcpProxy } from '../../../support/tcp-proxy.ts';
import { untilFits } from '../../../support/until.ts';
import { answer, kubeConfigFor, open, SecureApi, startHttp1 } from './secure-api.ts';

function transportTo(t: ExecutionContext, port: number, timing: Partial<Http2Timing> = {}): Transport {
  const transport = new Transport(kubeConfigFor(port), 'test', timing);
  t.teardown(() => transport.close());
  return transport;
}

const get = (transport: Transport, path: string, more: { timeoutMs?: number; signal?: AbortSignal } = {}) =>
  transport.send({ method: 'GET', path, timeoutMs: 30_000, ...more });

const textOf = (given: Answer): Promise<string> => readBody('test', given, 30_000);

test('watches and requests share one connection, each with our credentials', async (t) => {
  await using api = await SecureApi.start();
  const transport = transportTo(t, api.port);
  api.answer = (stream, path) => (path.startsWith('/watch') ? open(stream) : answer(stream, { path }));
  const watches = await Promise.all(Array.from({ length: 40 }, (_, at) => get(transport, `/watch/${at}`)));
  t.is(await textOf(await get(transport, '/one?a=b')), '{"path":"/one?a=b"}');
  t.is(api.sessions.length, 1);
  t.deepEqual(new Set(api.tokens), new Set(['Bearer secret-token']));
  t.is(api.tokens.length, 41);
  t.true(watches.every(({ status, isWatched }) => status === 200 && isWatched));
  for (const { body } of watches) body.destroy();
});

test('an answer that is complete before it is read is read as a whole', async (t) => {
  await using api = await SecureApi.start();
  const transport = transportTo(t, api.port);
  const long = 'a'.repeat(200_000);
  api.answer = (stream, path) => answer(stream, { path, long });
  const early = await get(transport, '/early');
  // Both come in one connection, one after the other.
  await textOf(await get(transport, '/later'));
  t.is(await textOf(early), JSON.stringify({ path: '/early', long }));
});

test('an answer that breaks before it is read fails when it is', async (t) => {
  await using api = await SecureApi.start();
  const transport = transportTo(t, api.port);
  api.answer = (stream, path) => {
    if (path !== '/broken') return answer(stream, {});
    stream.respond({ ':status': 200 });
    stream.write('{"half":', () => stream.destroy(new Error('broken')));
  };
  const broken = await get(transport, '/broken');
  await textOf(await get(transport, '/later'));
  t.like(await t.throwsAsync(textOf(broken)), { name: 'KubeError', code: 'unreachable' });
});

test('an answer without a body is read as nothing', async (t) => {
  await using api = await SecureApi.start();
  api.answer = (stream) => stream.respond({ ':status': 200 }, { endStream: true });
  t.is(await textOf(await get(transportTo(t, api.port), '/empty')), '');
});

test('a server that has no HTTP/2 is called by HTTP/1.1, and is not asked for the other again', async (t) => {
  const { server, port, handshakes } = await startHttp1();
  t.teardown(() => server.close().closeAllConnections());
  const client = new KubeClient(kubeConfigFor(port));
  t.teardown(() => client.close());
  for (let call = 0; call < 3; call += 1) t.is(await client.version(), 'v1.0.0');
  t.true(handshakes() <= 2, 'one to see what it speaks, and one that is kept');
});

test('what is more than a server takes on one connection has another', async (t) => {
  await using api = await SecureApi.start({ maxStreams: 10 });
  const transport = transportTo(t, api.port);
  api.answer = (stream) => open(stream);
  const watches = [await get(transport, '/watch')];
  for (let more = 0; more < 24; more += 1) watches.push(await get(transport, '/watch'));
  t.is(api.sessions.length, 3);
  for (const { body } of watches) body.destroy();
});

test('a connection that is lost ends what is on it, and the next request has another', async (t) => {
  await using api = await SecureApi.start();
  const transport = transportTo(t, api.port);
  api.answer = (stream, path) => (path === '/watch' ? open(stream) : answer(stream, {}));
  const watch = await get(transport, '/watch');
  const ended = textOf(watch);
  api.sessions[0]?.destroy();
  t.like(await t.throwsAsync(ended), { name: 'KubeError', code: 'unreachable' });
  t.is((await get(transport, '/next')).status, 200);
  t.is(api.sessions.length, 2);
});

test('a server that says goodbye finishes what is on its connection, and others go elsewhere', async (t) => {
  await using api = await SecureApi.start();
  const transport = transportTo(t, api.port);
  let finish = () => {};
  api.answer = (stream, path) => {
    if (path !== '/slow') return answer(stream, {});
    stream.respond({ ':status': 200 });
    stream.write('{"half":');
    finish = () => stream.end('true}');
  };
  const slow = await get(transport, '/slow');
  api.sessions[0]?.close();
  await untilFits(
    'another connection',
    async () => {
      await textOf(await get(transport, '/other'));
      return api.sessions.length;
    },
    (count) => count === 2,
  );
  finish();
  t.is(await textOf(slow), '{"half":true}');
});

test('a request that a connection lost as it began is made again, once', async (t) => {
  await using api = await SecureApi.start();
  const transport = transportTo(t, api.port);
  const seen: number[] = [];
  api.answer = (stream, path, session) => {
    seen.push(session);
    if (path === '/write' && session === 1) api.sessions[0]?.destroy();
    else answer(stream, {});
  };
  await textOf(await get(transport, '/first'));
  t.is((await get(transport, '/write')).status, 200);
  t.deepEqual(seen, [1, 1, 2]);
});

test('a request for which a connection ends just then is one to be made again', async (t) => {
  await using api = await SecureApi.start();
  const socket = connect({ host: '127.0.0.1', port: api.port, ALPNProtocols: ['h2'], rejectUnauthorized: false });
  await once(socket, 'secureConnect');
  const url = new URL(`https://127.0.0.1:${api.port}/`);
  const connection = new Http2Connection(socket, url);
  t.true(connection.mayTakeMore);
  connection.close();
  t.false(connection.mayTakeMore);
  const request = { url, method: 'GET', headers: {}, timeoutMs: 30_000 };
  t.like(await t.throwsAsync(connection.request(request, 30_000)), { name: 'StaleConnectionError' });
});

test('an answer that is cut off is not taken for the whole', async (t) => {
  await using api = await SecureApi.start();
  const transport = transportTo(t, api.port);
  api.answer = (stream) => {
    stream.respond({ ':status': 200 });
    stream.write('{}', () => api.sessions[0]?.destroy());
  };
  t.like(await t.throwsAsync(get(transport, '/cut').then(textOf)), { code: 'unreachable' });
});

test('a request that waits too long leaves a dead connection to itself, and the next has another', async (t) => {
  await using api = await SecureApi.start();
  await using proxy = await TcpProxy.start(api.port);
  const transport = transportTo(t, proxy.port, { pingMs: 300 });
  api.answer = (stream, path) => (path === '/watch' ? open(stream) : answer(stream, {}));
  const watch = await get(transport, '/watch');
  const ended = t.throwsAsync(textOf(watch));
  proxy.freeze();
  t.like(await t.throwsAsync(get(transport, '/one', { timeoutMs: 50 })), { code: 'timeout' });
  t.is((await get(transport, '/two')).status, 200, 'at once');
  t.regex((await ended)?.message ?? '', /no answer to a ping in 300 ms/);
});

test('a slow answer costs its own request, and the connection goes on', async (t) => {
  await using api = await SecureApi.start();
  const transport = transportTo(t, api.port);
  api.answer = (stream, path) => (path === '/never' ? undefined : open(stream));
  const watch = await get(transport, '/watch');
  t.like(await t.throwsAsync(get(transport, '/never', { timeoutMs: 50 })), { code: 'timeout' });
  await untilFits(
    'the first connection to be used again',
    async () => {
      (await get(transport, '/more')).body.destroy();
      return api.sessions[0]?.state.lastProcStreamID ?? 0;
    },
    (last) => last > 5,
  );
  t.false(watch.body.destroyed);
  watch.body.destroy();
});

test('a connection at rest on which nothing comes is asked whether it lives', async (t) => {
  await using api = await SecureApi.start();
  await using proxy = await TcpProxy.start(api.port);
  api.answer = (stream) => open(stream);
  const living = await get(transportTo(t, api.port, { restMs: 20 }), '/watch');
  let pings = 0;
  api.sessions[0]?.on('ping', () => {
    pings += 1;
  });
  await untilFits(
    'pings',
    () => pings,
    (count) => count >= 2,
  );
  t.false(living.body.destroyed);
  living.body.destroy();
  const dying = await get(transportTo(t, proxy.port, { restMs: 20, pingMs: 200 }), '/watch');
  const ended = t.throwsAsync(textOf(dying));
  proxy.freeze();
  t.regex((await ended)?.message ?? '', /no answer to a ping in 200 ms/);
});

test('a connection that the server has said goodbye on is given up when nothing comes', async (t) => {
  await using api = await SecureApi.start();
  api.answer = (stream, path) => (path === '/watch' ? open(stream) : answer(stream, {}));
  const transport = transportTo(t, api.port, { restMs: 20 });
  const silent = await get(transport, '/watch');
  api.sessions[0]?.close();
  t.regex((await t.throwsAsync(textOf(silent)))?.message ?? '', /nothing came on a connection that was to end/);
  t.is(await textOf(await get(transport, '/next')), '{}');
  t.is(api.sessions.length, 2);
  await untilFits(
    'the first to be closed',
    () => api.open,
    (connections) => connections === 1,
  );
});

test('a signal ends a request, before and after there is a connection', async (t) => {
  await using api = await SecureApi.start();
  await using proxy = await TcpProxy.start(api.port);
  proxy.silence();
  const transport = transportTo(t, proxy.port);
  t.like(await t.throwsAsync(get(transport, '/', { signal: AbortSignal.timeout(20) })), { code: 'aborted' });
  t.like(await t.throwsAsync(get(transport, '/', { signal: AbortSignal.abort() })), { code: 'aborted' });
  const late = await t.throwsAsync(get(transport, '/', { timeoutMs: 20 }));
  t.like(late, { code: 'timeout' });
  proxy.heal();
  api.answer = () => undefined;
  t.like(await t.throwsAsync(get(transport, '/', { signal: AbortSignal.timeout(200) })), { code: 'aborted' });
  api.answer = (stream) => open(stream);
  const ending = new AbortController();
  const watch = await get(transport, '/', { signal: ending.signal });
  const ended = t.throwsAsync(textOf(watch));
  ending.abort();
  t.like(await ended, { code: 'aborted' });
});

test('a watch of a server that sends no bookmarks is not given up for silence', async (t) => {
  await using api = await SecureApi.start();
  api.answer = (stream) => stream.respond({ ':status': 200 });
  const client = new KubeClient(kubeConfigFor(api.port));
  t.teardown(() => client.close());
  const type = { group: '', version: 'v1', plural: 'services' };
  const options = { resourceVersion: '1', timeoutSeconds: 60, idleMs: 30 };
  const error = await t.throwsAsync(client.watch(type, { ...options, sendsBookmarks: true }, () => {}));
  t.like(error, { name: 'KubeError', code: 'timeout' });
  const ending = new AbortController();
  const opened = Promise.withResolvers<void>();
  const patient = client.watch(type, { ...options, signal: ending.signal, onOpen: opened.resolve }, () => {});
  await opened.promise;
  const first = await Promise.race([
    patient.catch(() => 'ended'),
    once(AbortSignal.timeout(300), 'abort').then(() => 'open'),
  ]);
  t.is(first, 'open');
  ending.abort();
  await t.throwsAsync(patient);
});
