/**
 * Requests lost while Deployments are replaced in a real cluster, again and again: HTTP/1.1 with keep-alive and HTTP/2, whose pods exit at once at
 * SIGTERM, and gRPC of Node and of Go, whose pods answer what they have begun. The test of ten rollouts (test/cluster/rollouts.test.ts), with more of them.
 *
 *     npm run bench -- deployment-rollouts [--rollouts 100]
 *
 * Fails as the test does. Needs what `npm run test:cluster` needs; a rollout takes about ten seconds.
 */
import { spawnSync } from 'node:child_process';
import { parseArgs } from 'node:util';
import { root } from '../../scripts/paths.mjs';

const { values: options } = parseArgs({ options: { rollouts: { type: 'string', default: '100' } } });
const { status } = spawnSync(process.execPath, ['test/cluster/run.ts', 'test/cluster/rollouts.test.ts'], {
  cwd: root,
  env: { ...process.env, ROLLOUTS: options.rollouts },
  stdio: 'inherit',
});
process.exitCode = status ?? 1;
