import type { Subject } from '../peer/subject.ts';
import type { World } from '../peer/world.ts';
import { Load } from '../support/load.ts';

/** Where requests are to go through. */
export interface Scene {
  readonly world: World;
  readonly subject: Subject;
  readonly connections: number;
  /** How long one thing may take. */
  readonly minutes: number;
}

const host = 'steady.example.com';

/** Requests for a route that never changes. */
export async function steadyLoad({ subject, connections }: Scene): Promise<Load> {
  await subject.probe.put('steady', host);
  await subject.probe.answersOn(host);
  return new Load(subject.probe, { host, connections });
}
