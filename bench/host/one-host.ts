/**
 * Many routes on one host, each for a path of its own: what one more costs, and requests for the last of them.
 *
 *     npm run bench -- one-host [--quick] [--loads 1000,5000] [--probes 30] [--turns 3] [--subjects gatewright,envoy-gateway]
 *
 * From sending a new route to the API server until its path answers 200; CPU of control plane and proxy, and xDS bytes, for each change; CPU
 * of the proxy for a request. Needs what `peer` needs. `--quick`: 600 routes.
 */
import { Agent } from 'node:http';
import { parseArgs } from 'node:util';
import { during, idling } from '../peer/during.ts';
import { meter } from '../peer/meter.ts';
import type { Note } from '../peer/rows.ts';
import { sideBySide, sideBySideOptions } from '../peer/side-by-side.ts';
import { type Subject, xdsBytes } from '../peer/subject.ts';
import { backend, type World } from '../peer/world.ts';
import { statusOf } from '../support/ask.ts';
import { median, percentile } from '../support/figures.ts';

const { values: options } = parseArgs({
  options: { ...sideBySideOptions, loads: { type: 'string' }, probes: { type: 'string', default: '30' } },
});
const loads = (options.loads ?? (options.quick ? '600' : '1000,5000')).split(',').map(Number);
const probes = Number(options.probes);
const host = 'one.example.com';
const writers = 16;
const requests = 20_000;
const connections = 8;

await sideBySide(
  {
    name: 'one-host',
    title: 'Many routes on one host',
    about: `HTTPRoutes for paths of their own on one host, then ${probes} more one by one, and ${requests.toLocaleString('en')} requests for one path.`,
    plots: [{ what: 'new route: written → 200, ms, median', over: 'routes' }],
    options,
    again: true,
  },
  async (world, subject, note) => {
    await subject.start();
    try {
      await subject.probe.ready();
      let there = 0;
      for (const load of loads) {
        await write(subject, there, load);
        there = load;
        await answers(world, subject, pathOf(load - 1));
        const at: Note = (what, value) => note(`${what} @ ${load}`, value);
        await addMore(world, subject, load, at);
        await askFor(subject, pathOf(load - 1), at);
      }
    } finally {
      await subject.stop();
    }
  },
);

function pathOf(number: number | string): string {
  return `/path-${number}`;
}

function put(subject: Subject, name: string, path: string): Promise<unknown> {
  const { name: to, port } = backend;
  const rule = { matches: [{ path: { type: 'PathPrefix', value: path } }], backendRefs: [{ name: to, port }] };
  return subject.probe.put(name, host, [rule]);
}

async function write(subject: Subject, from: number, to: number): Promise<void> {
  const numbers = Array.from({ length: to - from }, (_, at) => from + at).values();
  const some = async () => {
    for (const at of numbers) await put(subject, `path-${at}`, pathOf(at));
  };
  await Promise.all(Array.from({ length: writers }, some));
}

function answers(world: World, subject: Subject, path: string): Promise<void> {
  return world.patience.until(`${path} answers`, async () => (await subject.probe.ask(host, path)) === 200);
}

/** One route by the name, which gets another path each time: a new one comes, and the one before goes. */
async function addMore(world: World, subject: Subject, load: number, note: Note): Promise<void> {
  const idle = await idling(subject, 5000);
  const ms: number[] = [];
  const cost = await during(subject, idle, async () => {
    for (let at = 0; at < probes; at += 1) {
      const path = pathOf(`more-${load}-${at}`);
      const began = performance.now();
      await Promise.all([put(subject, 'more', path), answers(world, subject, path)]);
      ms.push(performance.now() - began);
    }
  });
  note('new route: written → 200, ms, median', median(ms));
  note('new route: written → 200, ms, 99th of a hundred', percentile(ms, 0.99));
  note('control plane’s CPU for each, ms', (cost.cpuSeconds * 1000) / probes);
  note('proxy’s CPU for each, ms', (cost.proxyCpuSeconds * 1000) / probes);
  note('xDS bytes for each', xdsBytes(subject, cost.bytes / probes));
}

async function askFor(subject: Subject, path: string, note: Note): Promise<void> {
  const before = await meter(subject);
  const agent = new Agent({ keepAlive: true, maxSockets: connections });
  const ask = async () => {
    for (let at = 0; at < requests / connections; at += 1) await statusOf(subject.probe, host, agent, 2000, path);
  };
  await Promise.all(Array.from({ length: connections }, ask));
  agent.destroy();
  const { proxyCpuSeconds } = await meter(subject);
  note(
    'proxy’s CPU for a request of the last route, µs',
    ((proxyCpuSeconds - before.proxyCpuSeconds) * 1e6) / requests,
  );
}
