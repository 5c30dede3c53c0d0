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

if (report !== undefined) {
  process.once('exit', () => {
    const file = relative(process.cwd(), fileURLToPath(test.meta.file));
    const line = { file, wallSeconds: performance.now() / 1000, cpuSeconds: cpuSeconds() };
    appendFileSync(report, `${JSON.stringify(line)}\n`);
  });
}
