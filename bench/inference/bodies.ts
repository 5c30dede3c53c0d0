import http from 'node:http';
import { authorityOf } from '../support/ask.ts';

const pieceBytes = 64 * 1024;
const piece = Buffer.alloc(pieceBytes, 'x');

/** Sends a body in pieces, and reads the answer meanwhile; gives what is wrong with it. */
function streamBody(
  { port, agent, host }: { readonly port: number; readonly agent: http.Agent; readonly host: string },
  pieces: number,
): Promise<string | undefined> {
  return new Promise((resolve) => {
    const headers = { host: authorityOf(host, { port }), 'content-type': 'application/octet-stream' };
    const options = { host: '127.0.0.1', port, method: 'POST', path: '/v1/completions', headers, agent } as const;
    const sent = http.request(options, (response) => {
      let bytes = 0;
      response.on('data', (chunk: Buffer) => {
        bytes += chunk.length;
      });
      response.once('error', (error) => resolve(`cut after ${bytes} bytes: ${error.message}`));
      response.once('end', () => {
        const isWhole = response.statusCode === 200 && bytes === pieces * pieceBytes;
        resolve(isWhole ? undefined : `status ${response.statusCode}, ${bytes} bytes`);
      });
    });
    sent.once('error', ({ message }) => resolve(message));
    let left = pieces;
    const write = () => {
      while (left > 0) {
        left -= 1;
        if (!sent.write(piece)) return void sent.once('drain', write);
      }
      sent.end();
    };
    write();
  });
}

/** Pieces of 1 MiB. */
const piecesOfMib = (1024 * 1024) / pieceBytes;

/** Sends so many bodies of 1 MiB, some at a time; gives what went wrong. */
export async function streamBodies(
  to: { readonly port: number; readonly host: string },
  { requests, atOnce }: { readonly requests: number; readonly atOnce: number },
): Promise<string[]> {
  const agent = new http.Agent({ keepAlive: true, maxSockets: atOnce });
  const numbers = Array.from({ length: requests }, (_, number) => number).values();
  const wrong: string[] = [];
  const loop = async () => {
    for (const _ of numbers) {
      const fault = await streamBody({ ...to, agent }, piecesOfMib);
      if (fault !== undefined) wrong.push(fault);
    }
  };
  await Promise.all(Array.from({ length: atOnce }, loop));
  agent.destroy();
  return wrong;
}
