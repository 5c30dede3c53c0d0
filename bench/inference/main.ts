/**
 * What long bodies to pools of model servers cost in memory: the whole program over a directory, its Envoy, and a picker and two model servers that keep nothing.
 *
 *     node bench/inference/main.ts [--requests 10000] [--pieces 5] [--at-once 16] [--pools plain,request,both,buffered]
 *
 * Each pool gets so many requests with bodies of 1 MiB, which come back as they went, some at a time. They are sent in pieces; a line of JSON for each says
 * how much memory Envoy and the control plane had at most within it, and have after it, and how much CPU time Envoy took for a request. What does not grow from piece to piece is bounded. The pools: `plain`
 * has no picker, which is the floor; to `request` the body of requests goes through the picker in full duplex, to `both` that of answers too, and to `buffered`
 * the request's in one message.
 */
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { stringify } from 'yaml';
import { freePort } from '../../scripts/free-port.ts';
import { startProgram } from '../../test/support/program.ts';
import { gatewayObjects } from '../../test/support/standalone.ts';
import { until } from '../../test/support/until.ts';
import { type ProcessFigures, processesOf } from '../support/processes.ts';
import { streamBodies } from './bodies.ts';
import { type StreamedPool, startStreamedPools, streamedPools } from './pools.ts';

const { values: options } = parseArgs({
  options: {
    requests: { type: 'string', default: '10000' },
    pieces: { type: 'string', default: '5' },
    'at-once': { type: 'string', default: '16' },
    pools: { type: 'string', default: Object.keys(streamedPools).join(',') },
  },
});
const pieces = Number(options.pieces);
const requests = Math.ceil(Number(options.requests) / pieces);
const atOnce = Number(options['at-once']);
const patientMs = 600_000;

const round = (value: number): number => Math.round(value * 10) / 10;
/** In seconds. */
const envoyCpu = async (pid: number): Promise<number> => (await envoyOf(pid))?.cpuSeconds ?? 0;

const ends: (() => unknown)[] = [];
try {
  const { port, pid } = await start({ teardown: (end) => void ends.push(end) });
  print({ pool: null, ...(await memoryOf(pid)) });
  for (const pool of options.pools.split(',') as StreamedPool[]) await measure(pool, port, pid);
} finally {
  for (const end of ends.reverse()) await end();
}
process.exit();

async function measure(pool: StreamedPool, port: number, pid: number): Promise<void> {
  const to = { port, host: `${pool}.test` };
  await until(
    'the pool to answer',
    async () => (await streamBodies(to, { requests: 1, atOnce: 1 })).length === 0,
    patientMs,
  );
  for (let piece = 1; piece <= pieces; piece += 1) {
    for (const each of await processesOf(pid)) resetPeak(each.pid);
    const [began, cpuBefore] = [performance.now(), await envoyCpu(pid)];
    const wrong = await streamBodies(to, { requests, atOnce });
    const seconds = round((performance.now() - began) / 1000);
    print({
      pool,
      piece,
      requests,
      atOnce,
      wrong: wrong.length,
      ...(wrong[0] && { first: wrong[0] }),
      seconds,
      envoyCpuMs: round(((await envoyCpu(pid)) - cpuBefore) * (1000 / requests)),
      ...(await memoryOf(pid)),
    });
  }
}

async function start(t: {
  teardown(end: () => unknown): void;
}): Promise<{ readonly port: number; readonly pid: number }> {
  const directory = mkdtempSync(join(tmpdir(), 'gatewright-inference-'));
  t.teardown(() => rmSync(directory, { recursive: true, force: true }));
  const objects = await startStreamedPools(t);
  const port = await freePort();
  const at = async () => `127.0.0.1:${await freePort()}`;
  const config = {
    xds: { listen: await at() },
    admin: { listen: await at(), layout2Listen: await at() },
    metrics: { listen: await at() },
    dataplane: { adminListen: await at() },
    state: { directory: join(directory, '.state') },
    log: { level: 'warn' },
  };
  writeFileSync(join(directory, '.config.yaml'), JSON.stringify(config));
  const written = [...gatewayObjects(port), ...objects].map((object) => stringify(object)).join('---\n');
  writeFileSync(join(directory, 'objects.yaml'), written);
  const program = startProgram(['run', '-f', directory, '--config', join(directory, '.config.yaml')]);
  t.teardown(async () => {
    program.kill('SIGTERM');
    await program.ended;
  });
  const ended = program.ended.then(({ stderr }) => Promise.reject(new Error(`it has ended: ${stderr}`)));
  const answers = async () =>
    (await streamBodies({ port, host: 'plain.test' }, { requests: 1, atOnce: 1 })).length === 0;
  await Promise.race([until('a pool to answer', answers, patientMs), ended]);
  ended.catch(() => undefined);
  return { port, pid: program.pid };
}

/** So that the peak of a piece is its own. */
function resetPeak(pid: number): void {
  writeFileSync(`/proc/${pid}/clear_refs`, '5');
}

async function envoyOf(pid: number): Promise<ProcessFigures | undefined> {
  const isEnvoy = (each: number) => readFileSync(`/proc/${each}/comm`, 'utf8').startsWith('envoy');
  const found = (await processesOf(pid)).filter((each) => isEnvoy(each.pid));
  return found.sort((a, b) => b.rssMb - a.rssMb)[0];
}

async function memoryOf(pid: number): Promise<object> {
  const [all, envoy] = [await processesOf(pid), await envoyOf(pid)];
  const control = all.find((each) => each.pid === pid);
  return {
    envoyMb: envoy?.rssMb,
    envoyPeakMb: envoy?.peakMb,
    controlPlaneMb: control?.rssMb,
    controlPlanePeakMb: control?.peakMb,
  };
}

function print(line: object): void {
  process.stdout.write(`${JSON.stringify(line)}\n`);
}
