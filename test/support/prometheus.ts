import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { ExecutionContext } from 'ava';
import { stringify } from 'yaml';
import { freePort } from '../../scripts/free-port.ts';
import { ensurePrometheus } from '../../scripts/setup/prometheus.mjs';
import { request } from './request.ts';
import { until } from './until.ts';

export interface ScrapeTarget {
  readonly job: string;
  /** Of 127.0.0.1. */
  readonly port: number;
  readonly path: string;
}

export interface PrometheusOptions {
  readonly targets?: readonly ScrapeTarget[];
  /** Content of `web.yml`: TLS and users. Paths in it are relative to `files`. */
  readonly web?: object;
  /** Further files, beside it. */
  readonly files?: Readonly<Record<string, string>>;
}

export interface Prometheus {
  readonly port: number;
  /** http, on 127.0.0.1. */
  readonly url: string;
}

/** A real Prometheus with everything in a temporary directory, which scrapes every three seconds. Ends with the test. */
export async function startPrometheus(
  t: ExecutionContext<unknown>,
  { targets = [], web, files = {} }: PrometheusOptions = {},
): Promise<Prometheus> {
  const program = await ensurePrometheus();
  const directory = mkdtempSync(join(tmpdir(), 'gatewright-prometheus-'));
  const port = await freePort();
  const write = (name: string, text: string) => {
    writeFileSync(join(directory, name), text);
    return join(directory, name);
  };
  for (const [name, text] of Object.entries(files)) write(name, text);
  const jobs = targets.map((target) => ({
    job_name: target.job,
    metrics_path: target.path,
    static_configs: [{ targets: [`127.0.0.1:${target.port}`] }],
  }));
  const config = write(
    'prometheus.yml',
    stringify({ global: { scrape_interval: '3s', scrape_timeout: '3s' }, scrape_configs: jobs }),
  );
  const child = spawn(
    program,
    [
      `--config.file=${config}`,
      `--storage.tsdb.path=${join(directory, 'data')}`,
      `--web.listen-address=127.0.0.1:${port}`,
      ...(web === undefined ? [] : [`--web.config.file=${write('web.yml', stringify(web))}`]),
    ],
    { stdio: ['ignore', 'ignore', 'pipe'] },
  );
  t.teardown(async () => {
    await end(child);
    rmSync(directory, { recursive: true, force: true });
  });
  const said: string[] = [];
  child.stderr?.setEncoding('utf8').on('data', (text: string) => said.push(text));
  const isReady = () => said.join('').includes('Server is ready to receive web requests');
  await until('Prometheus to be ready', () => {
    if (child.exitCode !== null) throw new Error(`Prometheus ended: ${said.join('')}`);
    return isReady();
  });
  return { port, url: `http://127.0.0.1:${port}` };
}

async function end(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const ended = once(child, 'exit');
  child.kill('SIGTERM');
  await ended;
}

/** What a query finds, straight from a Prometheus without TLS. */
export async function promQuery({ url }: Prometheus, query: string): Promise<readonly unknown[]> {
  const answer = await request(`${url}/api/v1/query?query=${encodeURIComponent(query)}`);
  return ((await answer.json()) as { data: { result: unknown[] } }).data.result;
}
