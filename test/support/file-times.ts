import { appendFileSync, readFileSync } from 'node:fs';
import { relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import test from 'ava';

/** Where scripts/test.ts wants to know what each file took; a line of JSON for each. */
const report = process.env.GATEWRIGHT_TEST_TIMES;

/** Linux counts time in hundredths of a second here, whatever the machine. */
const TICKS_PER_SECOND = 100;

/**
 * CPU seconds of this process and of the children that it has waited for: what an API server or an Envoy used counts for the
 * file that started it. Elsewhere than on Linux: of this process alone.
 */
function cpuSeconds(): number {
  try {
    // After the name in parentheses: user and system time of the process, then of its children.
    const fields = readFileSync('/proc/self/stat', 'utf8')
      .replace(/^.*\) /s, '')
      .split(' ');
    return fields.slice(11, 15).reduce((sum, ticks) => sum + Number(ticks), 0) / TICKS_PER_SECOND;
  } catch {
    const { user, system } = process.cpuUsage();
    return (user + system) / 1e6;
  }
}

interface Used {
  readonly wallSeconds: number;
  readonly cpuSeconds: number;
}

const used = (): Used => ({ wallSeconds: performance.now() / 1000, cpuSeconds: cpuSeconds() });
const nothing: Used = { wallSeconds: 0, cpuSeconds: 0 };

/** What was noted for single files of a shared process, which its own line leaves out. */
let noted = nothing;

function note(line: object): void {
  if (report !== undefined) appendFileSync(report, `${JSON.stringify(line)}\n`);
}

/** Notes that the file begins, so that a hanging one can be named; gives how to note down that it is over. */
function begin(file: string, { from, without }: { readonly from: Used; readonly without: () => Used }): () => void {
  note({ begins: file, pid: process.pid, atMs: Date.now() });
  return () => {
    const [now, other] = [used(), without()];
    const wallSeconds = now.wallSeconds - from.wallSeconds - other.wallSeconds;
    const cpu = now.cpuSeconds - from.cpuSeconds - other.cpuSeconds;
    note({ file, wallSeconds, cpuSeconds: cpu });
    noted = { wallSeconds: noted.wallSeconds + wallSeconds, cpuSeconds: noted.cpuSeconds + cpu };
  };
}

/** For a file that shares this process with others: what to call before its first test and after its last. */
export function timesOf(file: string): { readonly onBegin: () => void; readonly onEnd: () => void } {
  let end: (() => void) | undefined;
  return {
    onBegin() {
      end = begin(file, { from: used(), without: () => nothing });
    },
    onEnd: () => end?.(),
  };
}

if (report !== undefined) {
  const file = relative(process.cwd(), fileURLToPath(test.meta.file));
  process.once('exit', begin(file, { from: nothing, without: () => noted }));
  // What ends a file that hangs: what it has started ends with it.
  process.once('SIGTERM', () => process.exit(1));
}
