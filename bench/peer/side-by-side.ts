import { inOwnNetwork } from '../host/own-network.ts';
import { OutOfPatience, Patience } from '../support/patience.ts';
import { builtPeers } from './peers.ts';
import { type Results, writeResults } from './results.ts';
import type { Figures, Note } from './rows.ts';
import { Stage } from './stage.ts';
import type { Subject } from './subject.ts';
import type { World } from './world.ts';

/** For `parseArgs`, with a bench's own. */
export const sideBySideOptions = {
  subjects: { type: 'string', default: 'gatewright,envoy-gateway' },
  /** 3, or 1 when quick. */
  turns: { type: 'string' },
  /** Minutes to wait for one thing. */
  patience: { type: 'string', default: '10' },
  quick: { type: 'boolean', default: false },
} as const;

export interface SideBySide extends Pick<Results, 'name' | 'title' | 'about'> {
  readonly plots?: Results['plots'];
  /** As they were given. */
  readonly options: {
    readonly subjects: string;
    readonly patience: string;
    readonly quick: boolean;
    readonly turns?: string | undefined;
  };
  /** Each turn in a new world: where removing what a turn wrote takes longer than a new API server. */
  readonly again?: boolean;
}

/** One subject alone, from its start to its end. */
export type Turn = (world: World, subject: Subject, note: Note) => Promise<void>;

/**
 * Gives each subject its turn, one after the other, as often as wanted; prints each turn's figures, then a table with ratios, and writes
 * both into bench/results. What does not come in time is a figure of the subject's. The first thing a bench does: it runs the
 * program again in a network of its own, so that no two runs meet.
 */
export async function sideBySide(bench: SideBySide, take: Turn): Promise<void> {
  const names = bench.options.subjects.split(',');
  // Before the network is our own: building fetches.
  const peers = await builtPeers(names);
  inOwnNetwork(peers.size > 0 ? { folder: '/certs' } : {});

  const patience = new Patience(Number(bench.options.patience));
  const all = names.map(() => [] as Figures[]);
  const subjects = new Map<string, { readonly name: string; readonly version: string }>();
  await using shared = bench.again ? undefined : await Stage.open(peers, patience);
  const count = Number(bench.options.turns ?? (bench.options.quick ? 1 : 3));
  for (let turn = 1; turn <= count; turn += 1) {
    for (const [at, name] of names.entries()) {
      await using own = shared ? undefined : await Stage.open(peers, patience);
      const stage = (shared ?? own)!;
      const subject = await stage.subject(name);
      const figures = await takenBy(stage.world, subject, take);
      all[at]?.push(figures);
      subjects.set(name, subject);
      console.log(JSON.stringify({ turn, subject: subject.name, ...Object.fromEntries(figures) }));
    }
  }
  const { name, title, about, plots = [] } = bench;
  const columns = [...subjects.values()];
  const turns = columns.map((column, at) => ({ subject: column.name, turns: all[at] ?? [] }));
  console.log(await writeResults({ name, title, about, plots, subjects: columns, all: turns }));
}

async function takenBy(world: World, subject: Subject, take: Turn): Promise<Figures> {
  const figures: Figures = new Map();
  try {
    await take(world, subject, (what, value) => {
      if (value !== undefined) figures.set(what, value);
    });
  } catch (error) {
    if (!(error instanceof OutOfPatience)) throw error;
    figures.set(error.what, error.found);
  }
  return figures;
}

/**
 * Notes how many seconds something takes, from `since` on, or that it did not come in time.
 * @returns whether it came
 */
export async function reached(
  note: Note,
  what: string,
  act: () => Promise<unknown>,
  since: number = performance.now(),
): Promise<boolean> {
  try {
    await act();
  } catch (error) {
    if (!(error instanceof OutOfPatience)) throw error;
    note(what, error.found);
    return false;
  }
  note(what, (performance.now() - since) / 1000);
  return true;
}
