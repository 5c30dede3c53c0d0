import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { ExecutionContext } from 'ava';
import { freePort } from '../../scripts/free-port.ts';
import { ensureNginx } from '../../scripts/setup/nginx.mjs';
import { exchange } from './raw-http.ts';
import { until } from './until.ts';

export interface Nginx {
  readonly port: number;
}

/**
 * A real nginx with these `server` blocks on one port of 127.0.0.1, which `listen` of each names as `$PORT`. Everything that it writes is in a
 * temporary directory. Ends with the test.
 */
export async function startNginx(t: ExecutionContext<unknown>, servers: string): Promise<Nginx> {
  const program = await ensureNginx();
  const directory = mkdtempSync(join(tmpdir(), 'gatewright-nginx-'));
  const port = await freePort();
  const config = join(directory, 'nginx.conf');
  writeFileSync(config, configuration(directory, servers.replaceAll('$PORT', `127.0.0.1:${port}`)));
  const child = spawn(program, ['-p', directory, '-c', config, '-e', 'stderr'], {
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  const said: string[] = [];
  child.stderr?.setEncoding('utf8').on('data', (text: string) => said.push(text));
  t.teardown(async () => {
    if (child.exitCode === null && child.signalCode === null) {
      const ended = once(child, 'exit');
      child.kill('SIGTERM');
      await ended;
    }
    rmSync(directory, { recursive: true, force: true });
  });
  const hasEnded = (): boolean => child.exitCode !== null;
  await until('nginx to answer', async () => {
    if (hasEnded()) return true;
    const answer = await exchange(port, 'GET / HTTP/1.1\r\nHost: -\r\nConnection: close\r\n\r\n');
    return answer.status > 0;
  });
  if (hasEnded()) throw new Error(`nginx ended: ${said.join('')}`);
  return { port };
}

const folders = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi'];

/** One process, with nothing of the system's configuration. */
const configuration = (directory: string, servers: string): string => `
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
  ${folders.map((name) => `${name}_temp_path ${directory}/${name};`).join('\n  ')}
${servers}
}
`;
