/** What each test file took, as test/support/file-times.ts notes it down. */
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { heavyTests, partialTests } from './heavy-tests.ts';
import { root } from './paths.mjs';
import { isGroup } from './test-groups.ts';

/** Wall seconds of test files, by path, without the shortest. */
export const timesFile = join(root, 'scripts/test-times.json');

/** Of one file and the processes that it started. */
export interface FileTimes {
  readonly file: string;
  readonly wallSeconds: number;
  readonly cpuSeconds: number;
}

/** Shorter files all count as the same in a group. */
const LONG_SECONDS = 1;

/** What a part of a file takes at most, but for few of them. */
const PART_SECONDS = 4;

/**
 * Wall seconds of the files that are known to be long, by path; CPU seconds of a heavy file without a time.
 *
 * @param isShort of `partialTests` only a part is done
 */
export function knownTimes(isShort: boolean): Readonly<Record<string, number>> {
  const whole: Readonly<Record<string, number>> = { ...heavyTests, ...JSON.parse(readFileSync(timesFile, 'utf8')) };
  return isShort ? shortTimes(whole, partialTests) : whole;
}

export function shortTimes(whole: Readonly<Record<string, number>>, partial: object): Readonly<Record<string, number>> {
  const entries = Object.entries(whole).map(([file, seconds]) => [
    file,
    Object.hasOwn(partial, file) ? Math.min(seconds, PART_SECONDS) : seconds,
  ]);
  return Object.fromEntries(entries);
}

/** The lines of a report; none when no file has begun. */
export function readLines(path: string): readonly object[] {
  if (!existsSync(path)) return [];
  const lines = readFileSync(path, 'utf8').trim().split('\n');
  return lines.filter((line) => line !== '').map((line) => JSON.parse(line) as object);
}

/** What files took that have ended. */
export const readReport = (path: string): readonly FileTimes[] =>
  readLines(path).filter((line): line is FileTimes => 'file' in line);

/** Wall seconds of the files that are long, the longest first. What a process needs that files share is no file's. */
export function longFiles(times: readonly FileTimes[]): Readonly<Record<string, number>> {
  const long = times.filter(({ file, wallSeconds }) => wallSeconds >= LONG_SECONDS && !isGroup(file));
  const sorted = long.toSorted((a, b) => b.wallSeconds - a.wallSeconds);
  return Object.fromEntries(sorted.map(({ file, wallSeconds }) => [file, Math.round(wallSeconds)]));
}

/** A table for people: a line for each file, by CPU time, and the sum. */
export function describeTimes(times: readonly FileTimes[]): readonly string[] {
  const row = (wall: number, cpu: number, name: string) =>
    `${wall.toFixed(1).padStart(8)} ${cpu.toFixed(1).padStart(8)}  ${name}`;
  const sum = (of: (time: FileTimes) => number) => times.reduce((total, time) => total + of(time), 0);
  const sorted = times.toSorted((a, b) => b.cpuSeconds - a.cpuSeconds);
  return [
    '    wall      CPU  seconds of each file, with the processes that it started',
    ...sorted.map(({ file, wallSeconds, cpuSeconds }) => row(wallSeconds, cpuSeconds, file)),
    row(
      sum((time) => time.wallSeconds),
      sum((time) => time.cpuSeconds),
      `${times.length} files`,
    ),
  ];
}
