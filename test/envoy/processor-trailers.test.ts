import { once } from 'node:events';
import { connect, createServer, type IncomingHttpHeaders } from 'node:http2';
import type { Server } from 'node:net';
import test, { type ExecutionContext } from 'ava';
import { processedBy, startExtensionWorld } from '../support/extension-world.ts';
import { serviceObjects } from '../support/http.ts';
import { listening } from '../support/listening.ts';
import { headersOf, passing } from '../support/processor.ts';
import { routeObject } from '../support/standalone.ts';

/** Trailers of requests and answers that processors get, or do not, with a real Envoy. */

/** Answers with the trailers of the request. */
async function startTrailers(t: ExecutionContext): Promise<number> {
  const server = createServer();
  server.on('stream', (stream) => {
    stream.on('error', () => undefined);
    let trailers: IncomingHttpHeaders = {};
    stream.on('trailers', (found: IncomingHttpHeaders) => {
      trailers = found;
    });
    stream.resume().once('end', () => {
      stream.respond({ ':status': 200 }, { waitForTrailers: true });
      stream.once('wantTrailers', () => stream.sendTrailers({ 'x-seen': trailers['x-sent'] ?? 'none' }));
      stream.end('page');
    });
  });
  return await listening(t, server as unknown as Server);
}

/** The trailers of the answer to a request with `x-sent: of-client` in its own. */
async function trailersOf(port: number): Promise<IncomingHttpHeaders> {
  const session = connect(`http://127.0.0.1:${port}`);
  try {
    const stream = session.request(
      { ':method': 'POST', ':path': '/', ':authority': 'words.test' },
      { waitForTrailers: true },
    );
    stream.once('wantTrailers', () => stream.sendTrailers({ 'x-sent': 'of-client' }));
    stream.resume().end('body');
    const [trailers] = (await once(stream, 'trailers')) as [IncomingHttpHeaders];
    return trailers;
  } finally {
    session.destroy();
  }
}

test('a processor gets trailers where its policy sends them, and only there', async (t) => {
  const world = await startExtensionWorld(t, { one: (message) => passing(message) }, undefined, {
    'words.yaml': [
      ...serviceObjects('words', [await startTrailers(t)], { appProtocol: 'kubernetes.io/h2c' }),
      routeObject('words', 'words.test', [{ backendRefs: [{ name: 'words', port: 80 }] }]),
    ],
  });
  const { one } = world.processors;
  const asked = async (extProc: object) => {
    await world.rule(processedBy('one', { name: 'words' }, extProc));
    const before = one.asked.length;
    t.like(await trailersOf(world.port), { 'x-seen': 'of-client' });
    return one.asked
      .slice(before)
      .flatMap(({ request: { case: kind, value } }) =>
        kind === 'requestTrailers' || kind === 'responseTrailers' ? [[kind, headersOf(value.trailers)] as const] : [],
      );
  };
  t.deepEqual(await asked({}), []);
  t.deepEqual(await asked({ request: { trailers: 'Send' } }), [['requestTrailers', { 'x-sent': 'of-client' }]]);
  t.deepEqual(await asked({ response: { trailers: 'Send' } }), [['responseTrailers', { 'x-seen': 'of-client' }]]);
});
