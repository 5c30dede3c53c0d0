import type { IncomingMessage, ServerResponse } from 'node:http';

interface Reflected {
  readonly status?: number;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string;
  readonly encodedBody?: string;
}

/** The backend that tests of the Core Rule Set are written for: `/reflect` answers what the request's body says, all else answers 200. */
export function answer(request: IncomingMessage, response: ServerResponse): void {
  const chunks: Buffer[] = [];
  request.on('data', (chunk: Buffer) => chunks.push(chunk));
  request.once('end', () => {
    if (!request.url?.startsWith('/reflect')) return void response.end();
    const { status = 200, headers = {}, body = '', encodedBody } = reflected(Buffer.concat(chunks));
    response
      .writeHead(status, { 'content-type': 'text/plain', ...headers })
      .end(encodedBody === undefined ? body : Buffer.from(encodedBody, 'base64'));
  });
}

function reflected(body: Buffer): Reflected {
  try {
    return JSON.parse(body.toString()) as Reflected;
  } catch {
    return { status: 400 };
  }
}
