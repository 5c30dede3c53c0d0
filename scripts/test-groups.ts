/** Which test files share a process: for most of them, the start of one takes longer than their tests. */

/** The environment variable with the path of a JSON file: for each group, its files. */
export const groupsVariable = 'GATEWRIGHT_TEST_GROUPS';

/**
 * Each group has its file in test/together. A process more takes 1.5 s of CPU time to load what its tests need, one of test/page a browser, too, and one
 * of test/kube an API server; with fewer, the last ones would run alone at the end.
 */
const groupsOf: Readonly<Record<string, number>> = {
  'test/unit': 2,
  'test/golden': 1,
  'test/feature': 1,
  'test/envoy': 3,
  'test/kube': 1,
  'test/page': 1,
  'test/attack': 2,
};

/** A file that takes longer has a process of its own, for a group with it would be the last to end. */
const LONG_SECONDS = 100;
/** Of a file that is not among the times. */
const SHORT_SECONDS = 0.5;

/** Files that need a process of their own, and why. Long files have one, too. */
export const ownProcess: Readonly<Record<string, string>> = {
  'test/unit/app/process/trim-heap.test.ts': 'measures its heap',
  'test/unit/cost/memory-per-route.test.ts': 'measures its heap',
  'test/unit/cost/work-per-change.test.ts': 'counts work, which has to begin before the code is loaded',
  'test/unit/cost/work-per-listener.test.ts': 'counts work, which has to begin before the code is loaded',
  'test/unit/cost/work-per-pool.test.ts': 'counts work, which has to begin before the code is loaded',
  'test/unit/cost/work-per-wildcard.test.ts': 'counts work, which has to begin before the code is loaded',
  'test/unit/yaml/yaml-work.test.ts': 'counts work, which has to begin before the code is loaded',
};

export interface GroupedFiles {
  /** Neighbours are together, for they load the same modules. */
  readonly groups: readonly (readonly string[])[];
  readonly alone: readonly string[];
}

/**
 * @param files paths from the repository
 * @param times seconds that files took in a process of their own
 */
export function groupFiles(files: readonly string[], times: Readonly<Record<string, number>>): GroupedFiles {
  const isSmall = (file: string) =>
    folderOf(file) !== undefined && !Object.hasOwn(ownProcess, file) && (times[file] ?? 0) <= LONG_SECONDS;
  const { small = [], alone = [] } = Object.groupBy(files, (file) => (isSmall(file) ? 'small' : 'alone'));
  const byFolder = Object.groupBy(small, (file) => folderOf(file) ?? '');
  const groups = Object.entries(byFolder).flatMap(([folder, of = []]) => divided(of, groupsOf[folder] ?? 1, times));
  return { groups, alone };
}

/** Files that share processes with another folder, for these have an API server already. */
const guests: Readonly<Record<string, string>> = {
  'test/attack/addresses.test.ts': 'test/kube',
  'test/attack/adopted-ingresses.test.ts': 'test/kube',
};

const folderOf = (file: string): string | undefined =>
  guests[file] ?? Object.keys(groupsOf).find((folder) => file.startsWith(`${folder}/`));

/** Neighbours in `count` parts, at most, that take about the same time. */
function divided(files: readonly string[], count: number, times: Readonly<Record<string, number>>): string[][] {
  const secondsOf = (file: string) => times[file] ?? SHORT_SECONDS;
  const share = sumOf(files, times) / count;
  const parts = new Map<number, string[]>();
  let before = 0;
  for (const file of files) {
    const part = Math.floor((before + secondsOf(file) / 2) / share);
    parts.set(part, [...(parts.get(part) ?? []), file]);
    before += secondsOf(file);
  }
  return [...parts.values()];
}

const sumOf = (files: readonly string[], times: Readonly<Record<string, number>>): number =>
  files.reduce((sum, file) => sum + (times[file] ?? SHORT_SECONDS), 0);

/** @param number from 1 */
export const groupFile = (number: number): string => `test/together/${number}.ts`;

export const isGroup = (file: string): boolean => file.startsWith('test/together/');

/** Seconds of each file that AVA knows of, by path: of a group the sum of its files. What begins last should be short, or it would run alone at the end. */
export function processTimes(
  groups: GroupedFiles['groups'],
  times: Readonly<Record<string, number>>,
): Readonly<Record<string, number>> {
  const ofGroups = groups.map((files, index) => [groupFile(index + 1), sumOf(files, times)]);
  return { ...times, ...Object.fromEntries(ofGroups) };
}
