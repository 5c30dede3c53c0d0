import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { text } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';
import { ensureHttp3Client } from '../setup/http3-client.mjs';
import type { ExampleRequest } from './example.ts';
import { type Answer, echoOf } from './send.ts';

export interface Http3Request {
  readonly host: string;
  /** 127.0.0.1 when left out. */
  readonly address?: string;
  readonly port: number;
  /** Of the TLS handshake; the host when left out. */
  readonly serverName?: string;
  readonly method?: string;
  readonly path?: string;
  readonly headers?: Readonly<Record<string, string>>;
  /** Authorities in PEM that the certificate must be of; any certificate will do when left out. */
  readonly ca?: string;
  /** Seconds before the client gives up: 30 when left out. A server without HTTP/3 does not answer at all. */
  readonly patienceSeconds?: number;
}

export interface Http3Answer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

const client = fileURLToPath(new URL('http3-client.py', import.meta.url));

/** One request by HTTP/3 from a client that is none of ours (aioquic). Throws with its words when there is no connection or no answer. */
export async function sendHttp3({ path = '/', serverName, ...request }: Http3Request): Promise<Http3Answer> {
  const folder = await ensureHttp3Client();
  const child = spawn('python3', [client], {
    env: { ...process.env, PYTHONPATH: folder },
    stdio: ['pipe', 'pipe', 'pipe'],
  });
  child.stdin.end(JSON.stringify({ path, serverName: serverName ?? request.host, ...request }));
  const [said, complaint] = await Promise.all([text(child.stdout), text(child.stderr), once(child, 'close')]);
  if (said === '') throw new Error(`the HTTP/3 client did not run: ${complaint}`);
  const answer = JSON.parse(said) as Http3Answer & { readonly error?: string };
  if (answer.error !== undefined) throw new Error(`HTTP/3: ${answer.error}`);
  return answer;
}

/** An example's request to the port of the gateway on this machine. */
export async function sendByHttp3({ host, path, method, headers, sni }: ExampleRequest, port: number): Promise<Answer> {
  const { body, ...answer } = await sendHttp3({
    host: `${host}:${port}`,
    serverName: sni ?? host,
    port,
    path,
    ...(method && { method }),
    ...(headers && { headers }),
  });
  const echo = echoOf(body);
  return { ...answer, ...(echo && { echo }) };
}
