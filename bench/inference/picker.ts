/**
 * An endpoint picker as a process of its own, so that what keeps clients busy does not hold up its answers: it chooses by turns before it has seen a body, and
 * passes pieces of bodies on as they come. Its parent is sent the port.
 *
 *     node bench/inference/picker.ts streaming|message ENDPOINT...
 */
import { createServer } from 'node:http2';
import type { AddressInfo } from 'node:net';
import { headerOf, passing, processStream, sendReply } from '../../scripts/example/processor-server.ts';
import type { ProcessingRequest } from '../../src/envoy/index.ts';

const [style, ...endpoints] = process.argv.slice(2);
const streams = style === 'streaming';
let asked = 0;

// Envoy ends a picker's stream by a reset, and Node would take many of them for an attack and end the connection.
const server = createServer({ streamResetBurst: 1e9, streamResetRate: 1e9 }, (request, response) =>
  processStream(request, response, (message) => {
    const reply = changesOf(message);
    if (!response.stream.destroyed) sendReply(response, passing(message, reply));
  }),
);
server.on('session', (session) => session.on('error', () => {}));
server.listen(0, '127.0.0.1', () => process.send?.((server.address() as AddressInfo).port));
process.once('disconnect', () => process.exit());

function changesOf({ request }: ProcessingRequest): object {
  if (request.case === 'requestHeaders') return { headerMutation: choice() };
  if (!streams || (request.case !== 'requestBody' && request.case !== 'responseBody')) return {};
  const { body, endOfStream } = request.value;
  return { bodyMutation: { mutation: { case: 'streamedResponse', value: { body, endOfStream } } } };
}

function choice(): object {
  asked += 1;
  return { setHeaders: [headerOf('x-gateway-destination-endpoint', endpoints[asked % endpoints.length] ?? '')] };
}
