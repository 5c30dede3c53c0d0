import type { Subject } from './subject.ts';
import { bytesSentFrom } from './xds-bytes.ts';

/** What a subject has used so far: CPU time of its control plane and of its proxy, bytes its control plane sent over xDS (0 where it has none); and when. */
export interface Meter {
  readonly ms: number;
  readonly cpuSeconds: number;
  readonly proxyCpuSeconds: number;
  readonly bytes: number;
}

export async function meter(subject: Subject): Promise<Meter> {
  const { xdsPort } = subject;
  const sent = xdsPort === undefined ? 0 : bytesSentFrom(xdsPort);
  const [{ controlPlane, proxy }, bytes] = await Promise.all([subject.processes(), sent]);
  const proxyCpuSeconds = proxy.reduce((sum, { cpuSeconds }) => sum + cpuSeconds, 0);
  return { ms: performance.now(), cpuSeconds: controlPlane.cpuSeconds, proxyCpuSeconds, bytes };
}

export const difference = (before: Meter, after: Meter): Meter => ({
  ms: after.ms - before.ms,
  cpuSeconds: after.cpuSeconds - before.cpuSeconds,
  proxyCpuSeconds: after.proxyCpuSeconds - before.proxyCpuSeconds,
  bytes: after.bytes - before.bytes,
});

/** The share of a core that the control plane took between the two. */
export function cores(before: Meter, after: Meter): number {
  const { cpuSeconds, ms } = difference(before, after);
  return (cpuSeconds * 1000) / ms;
}
