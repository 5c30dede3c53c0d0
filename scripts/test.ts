/**
 * Runs the tests that need neither root nor a cluster, or the files and folders given, and ends with a line
 * `N passed, N failed` and a status to match.
 * usage: node scripts/test.ts [--all | --heavy] [--times] [PATH...] [AVA-OPTION...]
 *
 * Small files share processes (test-groups.ts), unless they are named or an option of AVA is given.
 * Without paths, the files of heavy-tests.ts run with `--all`, and alone with `--heavy`; without either, some files run in part.
 * `--times` prints what each file took, and with `--all` rewrites scripts/test-times.json: the long files begin first.
 */
import { spawn } from 'node:child_process';
import { existsSync, mkdtempSync, readdirSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { availableParallelism, tmpdir } from 'node:os';
import { join, relative } from 'node:path';
import { createInterface } from 'node:readline';
import { stripVTControlCharacters } from 'node:util';
import { heavyTests, partialTests, repetitionsVariable } from './heavy-tests.ts';
import { cacheDir, root } from './paths.mjs';
import { isFailure, newTally, readLine, summaryOf } from './tally.ts';
import { groupFile, groupFiles, groupsVariable } from './test-groups.ts';
import { ensureTestProgram, programVariable } from './test-program.ts';
import { describeTimes, knownTimes, longFiles, readReport, timesFile } from './test-times.ts';
import { watchFiles } from './watch-test-files.ts';

/**
 * How long AVA may say nothing: longer than a file may take. AVA's own limit does not hold behind a test that asked for more
 * time (8.0.1), and it would wait for ever.
 */
const SILENCE_MS = 15 * 60_000;
const FOLDERS = ['test/unit', 'test/golden', 'test/feature', 'test/envoy', 'test/kube', 'test/page', 'test/attack'];

const parameters = process.argv.slice(2);
const wantsTimes = parameters.includes('--times');
const wantsAll = parameters.includes('--all');
const wantsHeavy = parameters.includes('--heavy');
const options = parameters.filter(
  (parameter) => parameter.startsWith('-') && !['--all', '--heavy', '--times'].includes(parameter),
);
const paths = parameters.filter((parameter) => !parameter.startsWith('-'));
const files = paths.length > 0 ? paths.flatMap(testFilesOf) : FOLDERS.flatMap(testFilesOf).filter(isWanted);
const isShort = !wantsAll && !wantsHeavy && paths.length === 0;
const long = knownTimes(isShort);
/** Files that were named, and titles that are chosen by `--match`, are as AVA knows them. */
const isWhole = paths.every((path) => !path.endsWith('.test.ts')) && options.length === 0;
const { groups, alone } = isWhole ? groupFiles(files, long) : { groups: [], alone: files };

function isWanted(file: string): boolean {
  if (wantsHeavy) return Object.hasOwn(heavyTests, file) || Object.hasOwn(partialTests, file);
  return wantsAll || !Object.hasOwn(heavyTests, file);
}

/** AVA takes a folder too, but ends with an error where one has no test yet; so it gets files. */
function testFilesOf(path: string): string[] {
  const absolute = join(root, relative(root, path));
  if (!existsSync(absolute)) {
    if (FOLDERS.includes(path)) return [];
    throw new Error(`no such file or folder: ${path}`);
  }
  if (statSync(absolute).isFile()) return [path];
  return readdirSync(absolute, { recursive: true, encoding: 'utf8' })
    .filter((file) => file.endsWith('.test.ts'))
    .map((file) => join(path, file))
    .sort();
}

if (files.length === 0) {
  console.log('no test files');
  process.exit(1);
}
/** Processes at once: many files wait, for a process to start or for an Envoy. With two for each core, a tenth of the cores was idle. */
const concurrency = `--concurrency=${3 * Math.max(2, availableParallelism())}`;
const folder = mkdtempSync(join(tmpdir(), 'gatewright-test-'));
const report = join(folder, 'times.jsonl');
const groupList = join(folder, 'groups.json');
writeFileSync(groupList, JSON.stringify(groups));
const repetitions = isShort ? { [repetitionsVariable]: 'few' } : {};
/** A few files start it less often than its bundle would have to save. */
const program = isWhole ? { [programVariable]: await ensureTestProgram() } : {};
const ava = spawn(
  process.execPath,
  [
    join(root, 'node_modules/ava/entrypoints/cli.js'),
    concurrency,
    ...options,
    ...groups.map((_, index) => groupFile(index + 1)),
    ...alone,
  ],
  {
    cwd: root,
    // Every test file is a process that loads the same modules: compiled, and rid of types, once.
    env: {
      NODE_COMPILE_CACHE: join(cacheDir(), 'compile'),
      ...process.env,
      ...program,
      ...repetitions,
      GATEWRIGHT_TEST_TIMES: report,
      [groupsVariable]: groupList,
      FORCE_COLOR: process.stdout.isTTY ? '1' : '0',
    },
    stdio: ['inherit', 'pipe', 'inherit'],
  },
);
const endHanging = watchFiles(report, long);
/** Interrupted, AVA ends its workers and names the tests that were still running. */
const silence = setTimeout(() => {
  console.error(`no word of AVA for ${SILENCE_MS / 60_000} minutes: interrupting it`);
  ava.kill('SIGINT');
}, SILENCE_MS);
let tally = newTally();
for await (const line of createInterface({ input: ava.stdout })) {
  silence.refresh();
  tally = readLine(tally, stripVTControlCharacters(line));
  console.log(line);
}
clearTimeout(silence);
endHanging();
const status = ava.exitCode ?? (await new Promise<number | null>((resolve) => ava.once('exit', resolve)));
if (wantsTimes) {
  const times = readReport(report);
  for (const line of describeTimes(times)) console.log(line);
  if (wantsAll && paths.length === 0) writeFileSync(timesFile, `${JSON.stringify(longFiles(times), null, 2)}\n`);
}
rmSync(folder, { recursive: true });
console.log(summaryOf(tally, status));
process.exitCode = isFailure(tally, status) ? 1 : 0;
