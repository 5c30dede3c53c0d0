import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import test, { type ExecutionContext } from 'ava';
import { root } from '../../../scripts/paths.mjs';
import { processState } from '../../support/process-state.ts';
import { until } from '../../support/until.ts';

/** An agent and its Envoy: the second is in a session of its own. */
const agent = `
  const waits = 'setInterval(() => undefined, 2 ** 30)';
  const { pid } = require('node:child_process').spawn(process.execPath, ['-e', waits], { detached: true });
  console.log(JSON.stringify([process.pid, pid]));
  eval(waits);
`;

const canHaveNetwork =
  spawnSync('unshare', ['--net', 'true']).status === 0 && spawnSync('setpriv', ['--version']).status === 0;

for (const network of [false, ...(canHaveNetwork ? [true] : [])])
  test(`a bench that is ended${network ? ' in a network of its own' : ''} ends what it started, and what that started`, async (t) => {
    const folder = mkdtempSync(join(tmpdir(), 'gatewright-ended-'));
    t.teardown(() => rmSync(folder, { recursive: true }));
    const log = join(folder, 'log');
    const bench = join(folder, 'bench.ts');
    const module = (path: string) => JSON.stringify(join(root, 'bench', path));
    writeFileSync(
      bench,
      `
        import { inOwnNetwork } from ${module('host/own-network.ts')};
        import { startChild } from ${module('support/children.ts')};
        ${network ? 'inOwnNetwork();' : ''}
        await startChild(process.execPath, ['-e', ${JSON.stringify(agent)}], { log: ${JSON.stringify(log)} });
      `,
    );
    const started = spawn(process.execPath, [bench], { stdio: 'inherit' });
    t.teardown(() => started.kill('SIGKILL'));
    const [own, other] = await startedBy(log);
    await end(t, started, network);
    await until('all to end', () => [own, other].every((pid) => [undefined, 'Z'].includes(processState(pid))));
    t.pass();
  });

async function startedBy(log: string): Promise<readonly [number, number]> {
  const line = await until('the children', () => /^\[.*\]$/m.exec(readFileSync(log, 'utf8'))?.[0]);
  const [own, other] = JSON.parse(line);
  return [own, other];
}

async function end(t: ExecutionContext, started: ChildProcess, network: boolean): Promise<void> {
  const ended = once(started, 'exit');
  started.kill('SIGTERM');
  // In a network of its own, the first process waits for the one inside, and ends by the signal itself.
  t.deepEqual(await ended, network ? [null, 'SIGTERM'] : [143, null]);
}
