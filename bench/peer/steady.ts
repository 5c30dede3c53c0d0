/**
 * Requests of a route while nothing changes: how many a second, and what each takes of every process.
 *
 *     npm run bench -- steady [--quick] [--turns 3] [--seconds 10] [--subjects gatewright,envoy-gateway]
 *
 * Each turn has one subject after the other: 16 connections, each of which sends its next request
 * when the last one is answered. They share the processors with the client. Needs what `peer` needs. Results in bench/results/steady.*.
 */
import { setTimeout as delay } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { Load } from '../support/load.ts';
import type { Note } from './rows.ts';
import { sideBySide, sideBySideOptions } from './side-by-side.ts';
import type { Subject } from './subject.ts';
import { backend } from './world.ts';

const { values: options } = parseArgs({ options: { ...sideBySideOptions, seconds: { type: 'string' } } });
const host = 'steady.example.com';
const connections = 16;
const seconds = Number(options.seconds ?? (options.quick ? '4' : '10'));
/** Until each connection has sent some, and code that runs often is compiled. */
const warmUpMs = 2_000;

await sideBySide(
  {
    name: 'steady',
    title: 'Requests while nothing changes',
    about: `${connections} connections that are always busy, ${seconds} s each. One route without policies.`,
    options,
  },
  async (_world, subject, note) => {
    await subject.start();
    try {
      await subject.probe.ready();
      await subject.probe.put('steady', host, [{ backendRefs: [{ name: backend.name, port: backend.port }] }]);
      await subject.probe.answersOn(host);
      await measure(subject, note);
    } finally {
      await subject.stop();
      await subject.probe.removeAll();
    }
  },
);

async function measure(subject: Subject, note: Note): Promise<void> {
  using load = new Load(subject.probe, { host, connections });
  await delay(warmUpMs);
  const before = { at: performance.now(), requests: load.requests, cpu: await cpuOf(subject) };
  await delay(seconds * 1_000);
  const requests = load.requests - before.requests;
  const took = (performance.now() - before.at) / 1_000;
  const after = await cpuOf(subject);
  const tally = await load.stop();
  note('requests a second', requests / took);
  note('not answered 200', tally.failed);
  for (const [what, cpuSeconds] of Object.entries(after))
    note(`CPU of ${what} for a request, µs`, ((cpuSeconds - (before.cpu[what] ?? 0)) * 1e6) / requests);
}

/** Seconds, by process. */
async function cpuOf(subject: Subject): Promise<Readonly<Record<string, number>>> {
  const { controlPlane, proxy } = await subject.processes();
  const proxies = proxy.map(
    ({ what, cpuSeconds }) => [what.startsWith('envoy') ? 'the proxy' : 'its agent', cpuSeconds] as const,
  );
  return { 'the control plane': controlPlane.cpuSeconds, ...Object.fromEntries(proxies) };
}
