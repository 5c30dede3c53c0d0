/** Files, exports and dependencies that nothing uses: what knip finds, as knip.json sets it up. */
import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import type { Findings } from './ratchet.ts';

/** What knip prints for each file: lists by sort of issue. */
interface KnipReport {
  readonly issues: readonly ({ readonly file: string } & Readonly<Record<string, string | readonly KnipIssue[]>>)[];
}
interface KnipIssue {
  readonly name: string;
  readonly line?: number;
}

/** Everything unused below `root`, by knip's word for its sort. */
export function checkUnused(root: string): Findings {
  const knip = join(root, 'node_modules/knip/bin/knip.js');
  const { stdout, stderr } = spawnSync(process.execPath, [knip, '--reporter', 'json', '--no-progress'], {
    cwd: root,
    encoding: 'utf8',
    maxBuffer: 2 ** 26,
  });
  // Without a report knip itself failed: its own words are the finding.
  return stdout.startsWith('{') ? findingsOf(JSON.parse(stdout)) : { 'knip failed': [stderr || stdout] };
}

function findingsOf({ issues }: KnipReport): Findings {
  const findings: Record<string, string[]> = {};
  for (const { file, ...sorts } of issues) {
    for (const [sort, found] of Object.entries(sorts)) {
      if (!Array.isArray(found)) continue;
      const lines = found.map(({ name, line }: KnipIssue) => `${file}:${line ?? 1}: ${name} is not used (${sort})`);
      if (lines.length > 0) findings[`unused ${sort}`] = [...(findings[`unused ${sort}`] ?? []), ...lines];
    }
  }
  return findings;
}
