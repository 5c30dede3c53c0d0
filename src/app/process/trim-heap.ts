import { Script } from 'node:vm';
import { busyShare } from '../../std/index.ts';

export interface TrimHeapOptions {
  /** `gc` of `--expose-gc`, which the manifests set; without it nothing is done. */
  readonly collect?: NodeJS.GCFunction | undefined;
  readonly everyMs?: number;
  /** The share of the time since its last call in which the program worked; tests give their own. */
  readonly share?: () => number;
}

/** Of its time; what a resting control plane with its streams and watches stays below. */
const restingShare = 0.05;

/** So that what a script takes is next to nothing by the time V8 looks, and its rate never runs down to 0. */
const looksPerScript = 12;

/** A minute: V8 has then given back what it gives, and each further collection would wake five threads for nothing. */
const looksPerRest = 12;

/**
 * Lets V8 give back the memory that a burst of changes has taken, a sixth of it at 5,000 routes. V8 does so by itself, bit by bit, when
 * a program has come to rest, but it judges rest by what was allocated between collections: a program that rests makes none, so that V8
 * goes on seeing the burst. A small collection, of half a millisecond, shows it otherwise; a full one would stop everything for 3 ms
 * for each MB of the heap. And of objects that belong to Node itself V8 takes no allocation at all for no rest (13.6,
 * `ComputeMutatorUtilization`: a speed of 0 is a utilization of 0), so one is made: a script is such an object.
 */
export function trimHeap({ collect = globalThis.gc, everyMs = 5000, share = busyShare() }: TrimHeapOptions = {}): void {
  if (!collect) return;
  let collections = 0;
  let rested = 0;
  const look = () => {
    rested = share() < restingShare ? rested + 1 : 0;
    if (rested === 0 || rested > looksPerRest) return;
    if (collections++ % looksPerScript === 0) new Script('');
    collect({ type: 'minor' });
  };
  setInterval(look, everyMs).unref();
}
