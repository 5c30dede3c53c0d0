/** Which test files of test/unit share a process: for most of them, the start of one takes longer than their tests. */

/** The environment variable with the path of a JSON file: for each group, its files. */
export const groupsVariable = 'GATEWRIGHT_TEST_GROUPS';

/** Each has its file in test/together. As many as `npm test` runs at once on two cores. */
const GROUPS = 4;

/** Files that need a process of their own, and why. Long files have one, too. */
export const ownProcess: Readonly<Record<string, string>> = {
  'test/unit/app/process/trim-heap.test.ts': 'measures its heap',
  'test/unit/cost/memory-per-route.test.ts': 'measures its heap',
  'test/unit/cost/work-per-change.test.ts': 'counts work, which has to begin before the code is loaded',
  'test/unit/cost/work-per-wildcard.test.ts': 'counts work, which has to begin before the code is loaded',
  'test/unit/kube/kube-config.test.ts': 'beforeEach',
  'test/unit/yaml/yaml-work.test.ts': 'counts work, which has to begin before the code is loaded',
};

export interface GroupedFiles {
  /** Neighbours are together, for they load the same modules. */
  readonly groups: readonly (readonly string[])[];
  readonly alone: readonly string[];
}

/**
 * @param files paths from the repository
 * @param isLong whether a file takes so long that it should begin early, by itself
 */
export function groupFiles(files: readonly string[], isLong: (file: string) => boolean): GroupedFiles {
  const isSmall = (file: string) => file.startsWith('test/unit/') && !Object.hasOwn(ownProcess, file) && !isLong(file);
  const { small = [], alone = [] } = Object.groupBy(files, (file) => (isSmall(file) ? 'small' : 'alone'));
  const size = Math.ceil(small.length / GROUPS);
  const groups = Array.from({ length: GROUPS }, (_, index) => small.slice(index * size, (index + 1) * size));
  return { groups: groups.filter((group) => group.length > 0), alone };
}

/** @param number from 1 */
export const groupFile = (number: number): string => `test/together/${number}.ts`;
