import { Prober } from './client.ts';
import { cpuNs, quantile, residentMib } from './process-cost.ts';
import { deliver, type Mode } from './resources.ts';
import { withEnvoy } from './rig.ts';

const hostOf = (name: string): string => `${name}.example.com`;
const idleMs = 50;

/** How long Envoy needs until a host more is served, beside `count` that it has; and what that costs it. */
export async function measurePropagation(mode: Mode, count: number, probes: number): Promise<void> {
  const delivery = deliver(
    mode,
    Array.from({ length: count }, (_, index) => hostOf(`h${index}`)),
  );
  await withEnvoy(delivery.initial, async ({ ads, envoy, port, startMs }) => {
    const prober = new Prober(port);
    if (count > 0) await prober.untilServed(hostOf(`h${count - 1}`));
    const residentAtStart = residentMib(envoy.pid);
    const served: number[] = [];
    const applied: number[] = [];
    for (let probe = 0; probe < probes; probe += 1) {
      const next = delivery.add(hostOf(`p${probe}`));
      const sent = performance.now();
      const answer = ads.send(next.typeUrl, next.resources);
      await prober.untilServed(hostOf(`p${probe}`));
      served.push(performance.now() - sent);
      await answer;
      // Without requests, so that the CPU time is that of the change alone.
      const quiet = delivery.add(hostOf(`q${probe}`));
      const before = cpuNs(envoy.pid);
      await ads.send(quiet.typeUrl, quiet.resources);
      await new Promise((resolve) => setTimeout(resolve, idleMs));
      applied.push((cpuNs(envoy.pid) - before) / 1e6);
    }
    prober.close();
    const figures = {
      mode,
      hosts: count,
      startMs: Math.round(startMs),
      residentMib: Math.round(residentAtStart),
      servedMsP50: round(quantile(served, 0.5)),
      servedMsP90: round(quantile(served, 0.9)),
      servedMsMax: round(Math.max(...served)),
      cpuMsPerChangeMin: round(Math.min(...applied)),
      cpuMsPerChangeP50: round(quantile(applied, 0.5)),
      bytesPerChange: ads.lastBytes,
    };
    console.log(JSON.stringify(figures));
  });
}

const round = (value: number): number => Math.round(value * 100) / 100;
