import { floorsOf, slopeOf } from '../peer/floors.ts';
import { median } from '../support/figures.ts';
import type { Sample } from './samples.ts';

/** Equal parts of a piece, the first sixth left out, in each of which the least memory counts. */
const windows = 10;

/** What is said of one piece. */
export interface PieceReport {
  readonly piece: number;
  readonly minutes: number;
  readonly changes: number;
  /** Of the control plane, for each change; admin readers, samples and traffic reports included. */
  readonly cpuMsPerChange: number;
  /** By process: memory at the first and the last floor, its slope by floors, and descriptors at first and at last. */
  readonly processes: Readonly<Record<string, ProcessReport>>;
  /** Of the samples, each of which is a 99th percentile. */
  readonly loopP99Ms: { readonly median: number; readonly most: number };
  readonly sqliteKb: readonly [number, number];
}

interface ProcessReport {
  readonly mb: readonly [number, number];
  readonly mbPerMinute: number;
  readonly descriptors: readonly [number, number];
}

const names = ['controlPlane', 'agent', 'envoy'] as const;

/** Of each piece that has samples; none of one that ended before its first. */
export function reportsOf(samples: readonly Sample[]): PieceReport[] {
  const pieces = Map.groupBy(samples, ({ piece }) => piece);
  return [...pieces.values()].map(reportOf);
}

function reportOf(samples: readonly Sample[]): PieceReport {
  const [first, last] = [samples[0], samples.at(-1)];
  if (!first || !last) throw new Error('a piece without samples');
  const changes = last.changes - first.changes;
  const cpuMs = (last.controlPlane.cpuSeconds - first.controlPlane.cpuSeconds) * 1000;
  const p99s = samples.map(({ loopP99Ms }) => loopP99Ms);
  return {
    piece: first.piece,
    minutes: Math.round(last.minutes),
    changes,
    cpuMsPerChange: Math.round((cpuMs / changes) * 10) / 10,
    processes: Object.fromEntries(names.map((name) => [name, processReport(samples, name)])),
    loopP99Ms: { median: median(p99s), most: Math.max(...p99s) },
    sqliteKb: [first.sqliteKb, last.sqliteKb],
  };
}

function processReport(samples: readonly Sample[], name: (typeof names)[number]): ProcessReport {
  const to = samples.at(-1)?.minutes ?? 0;
  const memory = samples.map(({ minutes, [name]: { rssMb } }) => ({ minutes, mb: rssMb }));
  const floors = floorsOf(memory, { from: to / 6, to, windows });
  const descriptors = samples.map((sample) => sample[name].descriptors);
  return {
    mb: [floors[0]?.mb ?? Number.NaN, floors.at(-1)?.mb ?? Number.NaN],
    mbPerMinute: slopeOf(floors),
    descriptors: [descriptors[0] ?? 0, descriptors.at(-1) ?? 0],
  };
}
