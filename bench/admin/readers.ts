/**
 * Whether readers of the admin API delay what proxies receive: the time from a change of a route until a real Envoy has applied it. It measures
 * three cases: no readers, 1,000 idle connections, and readers of events and of the whole snapshot that never read what they asked for.
 *
 *     node bench/admin/readers.ts [--routes 1000] [--changes 200] [--idle 1000] [--slow 150]
 *
 * One line of JSON for each: milliseconds, median and p99, and how long the control plane's event loop stood still (p99 and max). The readers
 * are a process of their own; control plane, agent and Envoy are as `gatewright run` starts them.
 */
import { fork } from 'node:child_process';
import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { monitorEventLoopDelay } from 'node:perf_hooks';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import type { ObjectByKind } from '../../src/gateway-api/index.ts';
import { httpRoute } from '../../test/support/objects.ts';
import { isCurrent, type Standalone, startStandalone } from '../../test/support/standalone.ts';
import { until } from '../../test/support/until.ts';
import { median, percentile } from '../support/figures.ts';

const { values: options } = parseArgs({
  options: {
    routes: { type: 'string', default: '1000' },
    changes: { type: 'string', default: '200' },
    idle: { type: 'string', default: '1000' },
    slow: { type: 'string', default: '150' },
    // What the child is: which readers it plays, and at which port.
    play: { type: 'string' },
    port: { type: 'string', default: '0' },
  },
});

async function measureAll(): Promise<void> {
  const standalone = await startStandalone();
  try {
    const { graph, builder } = standalone.control;
    for (let index = 0; index < Number(options.routes); index++) graph.upsert('HTTPRoute', routeWith(index, 'first'));
    builder.changed();
    await until('the data plane to have all routes', () => isCurrent(standalone) && graph.snapshot() !== undefined);
    await changes(standalone, 'warm', 20);
    report('none', await changes(standalone, 'alone', Number(options.changes)));
    for (const readers of ['idle', 'slow'] as const) {
      const child = fork(fileURLToPath(import.meta.url), [
        '--play',
        readers,
        '--port',
        String(standalone.control.ports.layout1),
        '--idle',
        options.idle,
        '--slow',
        options.slow,
      ]);
      const [opened] = await once(child, 'message');
      const figures = await changes(standalone, readers, Number(options.changes));
      report(`${opened} ${readers}`, figures);
      child.kill();
      await once(child, 'exit');
    }
  } finally {
    await standalone.stop();
  }
}

const routeWith = (index: number, value: string): ObjectByKind['HTTPRoute'] =>
  httpRoute(`r${index}`, {
    hostnames: [`r${index}.example.com`],
    rules: [
      {
        filters: [{ type: 'RequestRedirect', requestRedirect: { hostname: 'elsewhere.example.com' } }],
        matches: [{ path: { type: 'PathPrefix', value: `/${value}` } }],
      },
    ],
  });

/** Milliseconds of each change, until the node says that it has applied the snapshot with it. */
async function changes({ control: { graph, builder, xds } }: Standalone, label: string, count: number) {
  const times: number[] = [];
  const delay = monitorEventLoopDelay({ resolution: 1 });
  delay.enable();
  for (let turn = 0; turn < count; turn++) {
    const before = graph.snapshot()?.id;
    const began = performance.now();
    const applied = new Promise<void>((resolve) => {
      const stop = xds.onNode((event) => {
        if (event.kind !== 'applied' || event.snapshot === before || event.snapshot !== graph.snapshot()?.id) return;
        stop();
        resolve();
      });
    });
    graph.upsert('HTTPRoute', routeWith(turn % Number(options.routes), `${label}-${turn}`));
    builder.changed();
    await applied;
    times.push(performance.now() - began);
  }
  delay.disable();
  return { times, delay };
}

function report(readers: string, { times, delay }: Awaited<ReturnType<typeof changes>>): void {
  const standstillMs = { p99: Math.round(delay.percentile(99) / 1e4) / 100, max: Math.round(delay.max / 1e4) / 100 };
  console.log(
    JSON.stringify({
      readers,
      changes: times.length,
      appliedMs: { p50: median(times), p99: percentile(times, 0.99) },
      standstillMs,
    }),
  );
}

/** Opens the connections, says how many there are, and stays until it is ended. */
async function play(readers: string, port: number): Promise<void> {
  const count = Number(readers === 'idle' ? options.idle : options.slow);
  const sockets: Socket[] = [];
  for (let index = 0; index < count; index++) sockets.push(await open(readers, port, index));
  process.send?.(sockets.length);
  await new Promise(() => {});
}

/** Idle: a request is answered, then nothing; when the server closes the connection, the next is opened. Slow: nothing of an answer is taken. */
async function open(readers: string, port: number, index: number): Promise<Socket> {
  const socket = connect({ port, host: '127.0.0.1' });
  socket.on('error', () => socket.destroy());
  await once(socket, 'connect');
  const path = readers === 'idle' ? '/livez' : index % 2 === 0 ? '/v1/events' : '/v1/snapshot';
  socket.write(`GET ${path} HTTP/1.1\r\nHost: localhost\r\n\r\n`);
  if (readers !== 'idle') return socket.pause();
  socket.on('close', () => void open(readers, port, index).catch(() => {}));
  return socket.resume();
}

if (options.play) await play(options.play, Number(options.port));
else await measureAll();
