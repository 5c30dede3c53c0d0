/**
 * Runs the tests of this folder in a real cluster: the one that KUBECONFIG names, else one of our own, which takes root
 * on Linux and is thrown away afterwards.
 * usage: npm run test:cluster [-- PATH... AVA-OPTION...]
 */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { root } from '../../scripts/paths.mjs';
import { environmentOf, openCluster, runTestbed } from './support/cluster.ts';
import { install } from './support/install.ts';

const cluster = await openCluster();
try {
  await install(cluster);
  process.exitCode = await runTests(process.argv.slice(2));
} finally {
  if (cluster.isTestbed && !process.env.KUBECONFIG) await runTestbed('down');
}

/** One test after the other: they kill what the others would need. */
async function runTests(args: readonly string[]): Promise<number> {
  const files = args.some((arg) => !arg.startsWith('-')) ? [] : ['test/cluster'];
  const runner = spawn(
    process.execPath,
    [join(root, 'scripts/test.ts'), ...files, '--serial', '--concurrency=1', ...args],
    {
      cwd: root,
      env: { ...process.env, ...environmentOf(cluster) },
      stdio: 'inherit',
    },
  );
  const [status] = await once(runner, 'exit');
  return status ?? 1;
}
