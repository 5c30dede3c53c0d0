/**
 * What a control plane and its proxy take while nothing changes.
 *
 *     npm run bench -- idle [--quick] [--turns 3] [--after 120] [--seconds 60] [--routes 0] [--subjects gatewright,envoy-gateway]
 *
 * They run over a real API server. Right after a start, programs still collect what the start left behind, so a row begins `--after` seconds
 * later. CPU is in millionths of a core, from the kernel's scheduler. Wakes are how often threads of the process began to run. Needs what `peer` needs. Results in
 * bench/results/idle.*.
 */
import { setTimeout as delay } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import type { Note } from '../peer/rows.ts';
import { sideBySide, sideBySideOptions } from '../peer/side-by-side.ts';
import type { Subject } from '../peer/subject.ts';
import { takenWithin } from './taken.ts';

const { values: options } = parseArgs({
  options: {
    ...sideBySideOptions,
    after: { type: 'string' },
    seconds: { type: 'string' },
    routes: { type: 'string', default: '0' },
  },
});
const afterSeconds = Number(options.after ?? (options.quick ? '5' : '120'));
const seconds = Number(options.seconds ?? (options.quick ? '5' : '60'));
const routes = Number(options.routes);

await sideBySide(
  {
    name: 'idle',
    title: 'While nothing changes',
    about: `${routes} routes. ${seconds} s, from ${afterSeconds} s after the start on.`,
    options,
  },
  async (_world, subject, note) => {
    await subject.start();
    try {
      await subject.probe.ready();
      await subject.probe.load(0, routes);
      await delay(afterSeconds * 1000);
      await measure(subject, note);
    } finally {
      await subject.stop();
      await subject.probe.removeAll();
    }
  },
);

async function measure(subject: Subject, note: Note): Promise<void> {
  const { controlPlane, proxy } = await subject.processes();
  const processes = [
    { ...controlPlane, what: 'the control plane' },
    ...proxy.map((one) => ({ ...one, what: one.what.startsWith('envoy') ? 'Envoy' : 'the agent' })),
  ];
  const rates = await takenWithin(
    seconds,
    processes.map(({ pid }) => pid),
  );
  processes.forEach(({ what, rssMb }, at) => {
    const { cpu, wakes } = rates[at]!;
    note(`CPU of ${what}, millionths of a core`, cpu);
    note(`wakes of ${what}, a second`, wakes);
    note(`memory of ${what}, MB`, rssMb);
  });
}
