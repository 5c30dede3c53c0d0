import http from 'node:http';
import type { AddressInfo } from 'node:net';
import type { ExecutionContext } from 'ava';

/** What a model was asked. */
export interface ModelRequest {
  readonly headers: http.IncomingHttpHeaders;
  readonly body: {
    readonly model: string;
    readonly temperature: number;
    readonly stream: boolean;
    readonly messages: readonly {
      readonly role: string;
      readonly content: string | null;
      readonly tool_calls?: readonly { readonly function: { readonly name: string } }[];
    }[];
    readonly tools?: readonly { readonly function: { readonly name: string; readonly parameters: object } }[];
  };
}

/** Answers one request; `request` is how many came before. */
export type ModelScript = (response: http.ServerResponse, asked: ModelRequest, request: number) => void;

export interface ModelServer {
  /** As it is configured. */
  readonly apiEndpoint: string;
  readonly asked: readonly ModelRequest[];
  /** Answers that the client did not wait for. */
  readonly abandoned: () => number;
}

/** A model provider that says what the test wants, in OpenAI's format. Ends with the test. */
export async function startModelServer(t: ExecutionContext<unknown>, script: ModelScript): Promise<ModelServer> {
  const asked: ModelRequest[] = [];
  let abandoned = 0;
  const server = http.createServer((request, response) => {
    if (request.method === 'GET') {
      response.writeHead(200, { 'content-type': 'application/json' });
      response.end('{"data": [{"id": "stub-1"}]}');
      return;
    }
    let text = '';
    request.setEncoding('utf8').on('data', (chunk: string) => {
      text += chunk;
    });
    request.once('end', () => {
      const one = { headers: request.headers, body: JSON.parse(text) as ModelRequest['body'] };
      asked.push(one);
      response.once('close', () => {
        if (!response.writableFinished) abandoned += 1;
      });
      script(response, one, asked.length - 1);
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  t.teardown(() => {
    server.closeAllConnections();
    server.close();
  });
  const { port } = server.address() as AddressInfo;
  return { apiEndpoint: `http://127.0.0.1:${port}/v1`, asked, abandoned: () => abandoned };
}

/** Begins an answer that is streamed. */
export const streamHead = (response: http.ServerResponse): http.ServerResponse =>
  response.writeHead(200, { 'content-type': 'text/event-stream' });

const event = (value: unknown): string => `data: ${JSON.stringify(value)}\n\n`;

export const textEvent = (content: string): string => event({ choices: [{ delta: { content } }] });

const endOfAnswer = (finish_reason: string): string =>
  event({ choices: [{ delta: {}, finish_reason }] }) +
  event({ choices: [], usage: { prompt_tokens: 100, completion_tokens: 10 } }) +
  'data: [DONE]\n\n';

/** Streams an answer of words. */
export function say(response: http.ServerResponse, ...words: readonly string[]): void {
  streamHead(response).end(words.map(textEvent).join('') + endOfAnswer('stop'));
}

/** Streams calls of tools; the arguments come in pieces, as they do. */
export function callTools(
  response: http.ServerResponse,
  ...calls: readonly { readonly name: string; readonly arguments: unknown }[]
): void {
  const parts = calls.flatMap(({ name, arguments: given }, index) => {
    const text = typeof given === 'string' ? given : JSON.stringify(given);
    const [head, tail] = [text.slice(0, 5), text.slice(5)];
    return [
      event({
        choices: [
          {
            delta: {
              tool_calls: [{ index, id: `id-${index}`, type: 'function', function: { name, arguments: head } }],
            },
          },
        ],
      }),
      event({ choices: [{ delta: { tool_calls: [{ index, function: { arguments: tail } }] } }] }),
    ];
  });
  streamHead(response).end(parts.join('') + endOfAnswer('tool_calls'));
}
