import type { Subject } from './subject.ts';
import { bytesSentFrom } from './xds-bytes.ts';

/** What a subject’s control plane has used so far: CPU time, bytes sent over xDS; and when. */
export interface Meter {
  readonly ms: number;
  readonly cpuSeconds: number;
  readonly bytes: number;
}

export async function meter(subject: Subject): Promise<Meter> {
  const [{ controlPlane }, bytes] = await Promise.all([subject.processes(), bytesSentFrom(subject.xdsPort)]);
  return { ms: performance.now(), cpuSeconds: controlPlane.cpuSeconds, bytes };
}
