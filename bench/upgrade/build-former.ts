import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { root } from '../../scripts/paths.mjs';

const run = promisify(execFile);

/** The built program of a commit, `build/app` of a work tree of its own, which stays for the next run. */
export async function buildFormer(commit: string): Promise<string> {
  const { stdout } = await run('git', ['rev-parse', '--short=12', commit], { cwd: root });
  const tree = join(tmpdir(), `gatewright-${stdout.trim()}`);
  const built = join(tree, 'build/app');
  if (existsSync(join(built, 'bin/gatewright.js'))) return built;
  if (!existsSync(tree)) await run('git', ['worktree', 'add', '--detach', tree, commit], { cwd: root });
  process.stderr.write(`building ${commit} in ${tree}; remove it with git worktree remove\n`);
  await run('npm', ['run', 'build'], { cwd: tree, maxBuffer: 1 << 26 });
  return built;
}
