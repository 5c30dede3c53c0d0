import type { Http2ServerResponse, Http2Session } from 'node:http2';
import type { AddressInfo } from 'node:net';
import { framed } from '../../scripts/example/grpc-echo.ts';
import {
  createProcessor,
  headerOf,
  type ProcessorReply,
  passing,
  sendReply,
} from '../../scripts/example/processor-server.ts';
import type { ProcessingRequest } from '../../src/envoy/index.ts';
import type { Endings } from './endings.ts';

export { headersOf, passing } from '../../scripts/example/processor-server.ts';

/** What a processor says to one message: an answer, nothing at all, bytes that are no answer, or the end of the stream. */
export type Reply = ProcessorReply | 'silence' | 'garbage' | 'end' | 'reset';

export interface Processor {
  readonly port: number;
  /** What was asked so far. */
  readonly asked: readonly ProcessingRequest[];
  /** Ends all connections, and takes none any more. */
  readonly die: () => void;
}

/** A processor that keeps what it was asked. Ends with the test. */
export async function startProcessor(t: Endings, reply: (message: ProcessingRequest) => Reply): Promise<Processor> {
  const asked: ProcessingRequest[] = [];
  const sessions = new Set<Http2Session>();
  const server = createProcessor((message, call) => {
    asked.push(message);
    say(call, reply(message));
  });
  server.on('session', (session) => {
    sessions.add(session);
    session.once('close', () => sessions.delete(session));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const die = () => {
    for (const session of sessions) session.destroy();
    server.close();
  };
  t.teardown(die);
  return { port: (server.address() as AddressInfo).port, asked, die };
}

function say(call: Http2ServerResponse, reply: Reply): void {
  if (call.stream.destroyed || reply === 'silence') return;
  if (reply === 'end') call.end();
  else if (reply === 'reset') call.stream.close(2);
  else if (reply === 'garbage') call.write(framed(Buffer.from('\xff\xffno message', 'latin1')));
  else sendReply(call, reply);
}

/** The answer to a message with headers that sets these and removes those. */
export const setting = (
  message: ProcessingRequest,
  headers: Readonly<Record<string, string>>,
  removeHeaders: readonly string[] = [],
): Reply =>
  passing(message, {
    clearRouteCache: true,
    headerMutation: {
      setHeaders: Object.entries(headers).map(([key, value]) => headerOf(key, value)),
      removeHeaders: [...removeHeaders],
    },
  });
