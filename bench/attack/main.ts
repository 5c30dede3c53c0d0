/**
 * What hostile xDS clients cost, and whether a healthy Envoy goes on receiving changes meanwhile.
 *
 *     npm run bench -- attack [--clients 10000] [--seconds 30] [--only WORDS] [--program PATH/bin/gatewright.ts]
 *
 * One `gatewright run` with its own Envoy. For each attack: memory of the process before and after, bytes of its log, and the time from
 * writing a route's file to the first answer by it (median, max). An attack ends after so many clients or seconds. `--program`: another
 * checkout's, to compare with.
 */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { create } from '@bufbuild/protobuf';
import { Client, type ClientDuplexStream, credentials } from '@grpc/grpc-js';
import { stringify } from 'yaml';
import { freePort } from '../../scripts/free-port.ts';
import { DeltaDiscoveryRequestSchema } from '../../src/envoy/index.ts';
import { adsPaths, decodeDeltaResponse, encodeDeltaRequest } from '../../src/xds/index.ts';
import { request } from '../../test/support/request.ts';
import { gatewayObjects, routeObject } from '../../test/support/standalone.ts';
import { authorityOf } from '../support/ask.ts';

const { values: options } = parseArgs({
  options: {
    clients: { type: 'string', default: '10000' },
    seconds: { type: 'string', default: '30' },
    only: { type: 'string' },
    program: { type: 'string', default: new URL('../../bin/gatewright.ts', import.meta.url).pathname },
  },
});
const clients = Number(options.clients);
const mebibyte = 1024 * 1024;
const unknownType = 'type.googleapis.com/made.Up';
const bytesOf = (value: Uint8Array) => Buffer.from(value);

interface Target {
  readonly xds: number;
  readonly traffic: number;
  readonly directory: string;
  readonly rssMiB: () => number;
  readonly logBytes: () => number;
  readonly stop: () => Promise<void>;
}

async function start(): Promise<Target> {
  const directory = mkdtempSync(join(tmpdir(), 'gatewright-attacked-'));
  const state = mkdtempSync(join(tmpdir(), 'gatewright-attacked-state-'));
  const ports = await Promise.all(Array.from({ length: 6 }, () => freePort()));
  const [xds = 0, traffic = 0, layout1, layout2, metrics, agent] = ports;
  const at = (port: number | undefined) => `127.0.0.1:${port}`;
  const config = join(state, 'config.yaml');
  writeFileSync(
    config,
    JSON.stringify({
      xds: { listen: at(xds) },
      admin: { listen: at(layout1), layout2Listen: at(layout2) },
      metrics: { listen: at(metrics) },
      dataplane: { adminListen: at(agent) },
      state: { directory: state },
    }),
  );
  writeFileSync(join(directory, 'gateway.yaml'), documents(gatewayObjects(traffic)));
  const child = spawn(process.execPath, [options.program, 'run', '-f', directory, '--config', config], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  let bytes = 0;
  child.stdout.on('data', (chunk: Buffer) => {
    bytes += chunk.length;
  });
  const ended = once(child, 'exit');
  return {
    xds,
    traffic,
    directory,
    rssMiB: () => Number(/VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${child.pid}/status`, 'utf8'))?.[1]) / 1024,
    logBytes: () => bytes,
    async stop() {
      child.kill('SIGTERM');
      await ended;
      for (const path of [directory, state]) rmSync(path, { recursive: true, force: true });
    },
  };
}

const documents = (objects: readonly object[]): string => objects.map((each) => stringify(each)).join('---\n');

let changes = 0;

/** Milliseconds until a new route answers. Undefined: it never did. */
async function change({ directory, traffic }: Target): Promise<number | undefined> {
  const host = `change-${changes++}.test`;
  const redirect = { type: 'RequestRedirect', requestRedirect: { hostname: 'moved.test', statusCode: 302 } };
  const route = routeObject(host.replace('.test', ''), host, [{ filters: [redirect] }]);
  const headers = { host: authorityOf(host, { port: traffic }) };
  const began = performance.now();
  writeFileSync(join(directory, `${host}.yaml`), documents([route]));
  while (performance.now() - began < 60_000) {
    const answer = await request(`http://127.0.0.1:${traffic}/`, { headers }).catch(() => undefined);
    if (answer?.status === 302) return performance.now() - began;
    await new Promise((resolve) => setTimeout(resolve, 5));
  }
  return undefined;
}

interface Stranger {
  readonly stream: ClientDuplexStream<Uint8Array, Uint8Array>;
  send(fields: object): void;
  /** Resolves with the next answer's nonce; undefined when the stream has ended. */
  next(): Promise<string | undefined>;
  /** Resolves when it is connected. */
  ready(): Promise<void>;
  close(): void;
}

function stranger({ xds }: Target, id: string): Stranger {
  const client = new Client(`127.0.0.1:${xds}`, credentials.createInsecure(), { 'grpc.use_local_subchannel_pool': 1 });
  const stream = client.makeBidiStreamRequest(adsPaths.delta, bytesOf, bytesOf);
  let wake: (nonce: string | undefined) => void = () => {};
  let isOver = false;
  stream.on('error', () => {});
  stream.on('data', (bytes: Uint8Array) => wake(decodeDeltaResponse(bytes).nonce));
  stream.once('status', () => {
    isOver = true;
    wake(undefined);
  });
  let node: object | undefined = { id, cluster: 'default/edge' };
  return {
    stream,
    send(fields) {
      if (isOver) return;
      stream.write(encodeDeltaRequest(create(DeltaDiscoveryRequestSchema, { node, ...fields } as never)));
      node = undefined;
    },
    next: () => {
      const { promise, resolve } = Promise.withResolvers<string | undefined>();
      if (isOver) resolve(undefined);
      else wake = resolve;
      return promise;
    },
    ready: () => new Promise((resolve) => client.waitForReady(Date.now() + 10_000, () => setTimeout(resolve, 1))),
    close() {
      stream.cancel();
      client.close();
    },
  };
}

/** One client's part of an attack; the parameter is its number. */
type Attack = (target: Target, index: number) => Promise<void>;

const withId =
  (idOf: (index: number) => string): Attack =>
  async (target, index) => {
    const one = stranger(target, idOf(index));
    const answered = one.next();
    one.send({ typeUrl: unknownType, resourceNamesSubscribe: ['x'] });
    await answered;
    one.close();
  };

const rejecting =
  (times: number, text: string): Attack =>
  async (target) => {
    const one = stranger(target, 'refuser');
    for (let round = 0; round < times; round += 1) {
      const answered = one.next();
      one.send({ typeUrl: unknownType, resourceNamesSubscribe: [`x-${round}`] });
      const responseNonce = await answered;
      if (responseNonce === undefined) break;
      one.send({ typeUrl: unknownType, responseNonce, errorDetail: { code: 13, message: text } });
    }
    one.close();
  };

const asking: Attack = async (target, index) => {
  const one = stranger(target, `asker-${index}`);
  const answered = one.next();
  const names = Array.from({ length: 200_000 }, (_, at) => `unknown-${index}-${at}`);
  one.send({ typeUrl: unknownType, resourceNamesSubscribe: names });
  await answered;
  one.close();
};

const attacks: Readonly<Record<string, { readonly count: number; readonly atOnce: number; readonly attack: Attack }>> =
  {
    'ids, one after the other': { count: clients, atOnce: 20, attack: withId((index) => `squatter-${index}`) },
    'ids of 8 MiB': { count: 20, atOnce: 2, attack: withId((index) => `${index}-${'x'.repeat(8 * mebibyte)}`) },
    'rejections of 8 MiB': { count: 2, atOnce: 1, attack: rejecting(8, 'n'.repeat(8 * mebibyte)) },
    'a storm of rejections': { count: 4, atOnce: 2, attack: rejecting(clients / 4, 'no') },
    'one id, over and over': { count: clients / 5, atOnce: 10, attack: withId(() => 'same') },
    'streams that are cancelled': {
      count: clients,
      atOnce: 50,
      async attack(target, index) {
        const one = stranger(target, `${index}`);
        const over = one.next();
        // Or it would not reach the server.
        await one.ready();
        one.close();
        await over;
      },
    },
    'streams that say nothing': {
      count: 500,
      atOnce: 500,
      async attack(target, index) {
        const one = stranger(target, `${index}`);
        await Promise.race([one.next(), new Promise((resolve) => setTimeout(resolve, 15_000))]);
        one.close();
      },
    },
    '200,000 unknown names': { count: 10, atOnce: 2, attack: asking },
  };

/** Runs an attack by so many clients at once, until its count or the time is up. Gives how many there were. */
async function run(target: Target, { count, atOnce, attack }: (typeof attacks)[string]): Promise<number> {
  const deadline = performance.now() + Number(options.seconds) * 1000;
  let begun = 0;
  const worker = async () => {
    while (begun < count && performance.now() < deadline) await attack(target, begun++);
  };
  await Promise.all(Array.from({ length: atOnce }, worker));
  return begun;
}

async function measure(target: Target, title: string, attack: (typeof attacks)[string]): Promise<void> {
  const [rssBefore, logBefore, began] = [target.rssMiB(), target.logBytes(), performance.now()];
  let isOver = false;
  const attacked = run(target, attack).finally(() => {
    isOver = true;
  });
  const times: (number | undefined)[] = [];
  do times.push(await change(target));
  while (!isOver);
  const count = await attacked;
  const known = times.filter((time) => time !== undefined).sort((a, b) => a - b);
  const figures = {
    attack: title,
    clients: count,
    seconds: Math.round((performance.now() - began) / 100) / 10,
    rssMiB: [Math.round(rssBefore), Math.round(target.rssMiB())],
    logKiB: Math.round((target.logBytes() - logBefore) / 102.4) / 10,
    changes: times.length,
    lost: times.length - known.length,
    medianMs: Math.round(known[Math.floor(known.length / 2)] ?? Number.NaN),
    maxMs: Math.round(known.at(-1) ?? Number.NaN),
  };
  process.stdout.write(`${JSON.stringify(figures)}\n`);
}

const target = await start();
try {
  await change(target);
  await measure(target, 'none', {
    count: 1,
    atOnce: 1,
    attack: () => new Promise((resolve) => setTimeout(resolve, 5_000)),
  });
  for (const [title, attack] of Object.entries(attacks))
    if (options.only === undefined || title.includes(options.only)) await measure(target, title, attack);
} finally {
  await target.stop();
}
