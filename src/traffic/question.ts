import { addSums, noSums, type Sums } from '../contracts/index.ts';
import type { Steps } from '../std/steps/index.ts';
import type { Frame } from './frame.ts';
import type { TrafficStore } from './keeper.ts';
import type { Ledger } from './ledger.ts';
import type { Subject } from './subjects.ts';

/** What is asked of the counts of one replica. */
export interface TrafficQuestion {
  readonly windowMs: number;
  readonly now: number;
  /** By what is counted apart: the name of a group for a subject; undefined: it is not asked for. */
  readonly groupOf: (subject: Subject) => string | undefined;
  /** Subjects are listeners, routes and backends, unless they are proxies or picks. */
  readonly of?: 'nodes' | 'picks' | undefined;
  /** Which groups are wanted over time, in steps of so many milliseconds; undefined: none. */
  readonly series?: { readonly stepMs: number } | undefined;
}

const itemsAStep = 500;

/** Counts by group. */
export interface TrafficAnswer {
  readonly from: number;
  readonly groups: ReadonlyMap<string, Group>;
}

export interface Group {
  readonly sums: Sums;
  /** Requests and errors, by the beginning of the step in milliseconds. */
  readonly points: Map<number, [requests: number, errors: number]>;
}

/** Sums of a window, by group; in steps, for there may be 20,000 routes in each of 16 frames. A frame that ends meanwhile counts no more. */
export function* answerOf(
  store: TrafficStore,
  { windowMs, now, groupOf, of, series }: TrafficQuestion,
): Steps<TrafficAnswer> {
  const ledger = ledgerOf(store, of);
  const { from, frames } = ledger.window(windowMs, now);
  const groups = new Map<string, Group>();
  const names = new Map<number, string | undefined>();
  let done = 0;
  for (const frame of frames) {
    for (const number of frame.subjects()) {
      if (!names.has(number)) names.set(number, groupOf(ledger.subjectOf(number)));
      const name = names.get(number);
      if (name !== undefined) addTo(groupOfName(groups, name), frame, number, series?.stepMs);
      done += 1;
      if (done % itemsAStep === 0) yield;
    }
  }
  return { from, groups };
}

function ledgerOf({ ledger, ledgerByNode, ledgerOfPicks }: TrafficStore, of: TrafficQuestion['of']): Ledger {
  if (of === undefined) return ledger;
  return of === 'nodes' ? ledgerByNode : ledgerOfPicks;
}

function groupOfName(groups: Map<string, Group>, name: string): Group {
  const known = groups.get(name);
  if (known !== undefined) return known;
  const group: Group = { sums: noSums(), points: new Map() };
  groups.set(name, group);
  return group;
}

function addTo({ sums, points }: Group, frame: Frame, number: number, stepMs: number | undefined): void {
  frame.addTo(sums, number);
  if (stepMs === undefined) return;
  const [requests, errors] = frame.pointOf(number);
  const start = Math.floor(frame.start / stepMs) * stepMs;
  const point = points.get(start) ?? [0, 0];
  points.set(start, [point[0] + requests, point[1] + errors]);
}

/** Adds what another replica knows. */
export function mergeGroups(into: Map<string, Group>, from: Iterable<readonly [string, Group]>): void {
  for (const [name, { sums, points }] of from) {
    const group = groupOfName(into, name);
    addSums(group.sums, sums);
    for (const [start, [requests, errors]] of points) {
      const point = group.points.get(start) ?? [0, 0];
      group.points.set(start, [point[0] + requests, point[1] + errors]);
    }
  }
}
