import { request as httpRequest, type IncomingMessage } from 'node:http';
import { buffer } from 'node:stream/consumers';

/** What a test says of a request; GET without headers when it says nothing. */
export interface RequestOptions {
  readonly method?: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string | Uint8Array;
}

/**
 * One HTTP request on a connection of its own, as fetch would answer it. Fetch itself keeps connections open, and on a
 * machine that stands still for seconds it writes to one that the server is just closing.
 */
export async function request(
  url: string,
  { method = 'GET', headers = {}, body: sent }: RequestOptions = {},
): Promise<Response> {
  const message = await new Promise<IncomingMessage>((resolve, reject) => {
    httpRequest(url, { method, headers, agent: false }, resolve).once('error', reject).end(sent);
  });
  const body = await buffer(message);
  const answered = Object.entries(message.headersDistinct).flatMap(([name, values = []]) =>
    values.map((value): [string, string] => [name, value]),
  );
  const status = message.statusCode ?? 0;
  return new Response(status === 204 || status === 304 ? null : body, { status, headers: answered });
}
