import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { ExecutionContext } from 'ava';
import { freePort } from '../../scripts/free-port.ts';
import { ensureNginx } from '../../scripts/setup/nginx.mjs';
import type { TestCertificate } from './certificates.ts';
import { exchange } from './raw-http.ts';
import { until } from './until.ts';

export interface Nginx {
  readonly port: number;
  /** With a certificate. */
  readonly tlsPort: number;
  /** Before the test ends. */
  stop(): Promise<void>;
}

/**
 * A real nginx with these `server` blocks on one port of 127.0.0.1, which `listen` of each names as `$PORT`, and with a certificate on one for TLS,
 * `$TLS`. Everything that it writes is in a temporary directory. Ends with the test.
 */
export async function startNginx(t: ExecutionContext<unknown>, servers: string, tls?: TestCertificate): Promise<Nginx> {
  const program = await ensureNginx();
  const directory = mkdtempSync(join(tmpdir(), 'gatewright-nginx-'));
  const port = await freePort();
  const tlsPort = tls === undefined ? 0 : await freePort();
  const config = join(directory, 'nginx.conf');
  const placed = servers.replaceAll('$PORT', `127.0.0.1:${port}`).replaceAll('$TLS', `127.0.0.1:${tlsPort} ssl`);
  writeFileSync(config, configuration(directory, placed, tls));
  const child = spawn(program, ['-p', directory, '-c', config, '-e', 'stderr'], {
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  const said: string[] = [];
  child.stderr?.setEncoding('utf8').on('data', (text: string) => said.push(text));
  const stop = async (): Promise<void> => {
    if (child.exitCode !== null || child.signalCode !== null) return;
    const ended = once(child, 'exit');
    child.kill('SIGTERM');
    await ended;
  };
  t.teardown(async () => {
    await stop();
    rmSync(directory, { recursive: true, force: true });
  });
  const hasEnded = (): boolean => child.exitCode !== null;
  await until('nginx to answer', async () => {
    if (hasEnded()) return true;
    const answer = await exchange(port, 'GET / HTTP/1.1\r\nHost: -\r\nConnection: close\r\n\r\n');
    return answer.status > 0;
  });
  if (hasEnded()) throw new Error(`nginx ended: ${said.join('')}`);
  return { port, tlsPort, stop };
}

const folders = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi'];

function tlsLines(directory: string, { certificate, key }: TestCertificate): string {
  writeFileSync(join(directory, 'tls.crt'), certificate);
  writeFileSync(join(directory, 'tls.key'), key, { mode: 0o600 });
  return `ssl_certificate ${directory}/tls.crt; ssl_certificate_key ${directory}/tls.key;`;
}

/** One process, with nothing of the system's configuration. */
const configuration = (directory: string, servers: string, tls: TestCertificate | undefined): string => `
daemon off;
master_process off;
worker_processes 1;
pid ${directory}/nginx.pid;
error_log stderr error;
events { worker_connections 256; }
http {
  access_log off;
  default_type text/plain;
  server_names_hash_bucket_size 128;
  large_client_header_buffers 4 8k;
  ${tls === undefined ? '' : tlsLines(directory, tls)}
  ${folders.map((name) => `${name}_temp_path ${directory}/${name};`).join('\n  ')}
${servers}
}
`;
