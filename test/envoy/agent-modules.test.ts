import { readFileSync } from 'node:fs';
import test from 'ava';
import { freePort } from '../../scripts/free-port.ts';
import { ensureTestProgram } from '../../scripts/test-program.ts';
import { fileFor, startProgram } from '../support/program.ts';
import { until } from '../support/until.ts';

/** Says at the end which of its own modules Node has loaded. */
const hook = `process.on('exit', () => require('node:fs').writeFileSync(process.env.LOADED, process.moduleLoadList.join('\\n')));`;

test('an agent that has answered has loaded no HTTP client of Node’s, of which each proxy would keep 6 MB', async (t) => {
  const admin = `127.0.0.1:${await freePort()}`;
  const dataplane = {
    cluster: 'default/edge',
    xdsAddress: `127.0.0.1:${await freePort()}`,
    adminListen: admin,
    minDrainTime: '0s',
  };
  const config = fileFor(t, JSON.stringify({ dataplane, xds: { insecure: true } }));
  const loaded = fileFor(t, '', 'loaded.txt');
  const env = { NODE_OPTIONS: `--require=${fileFor(t, hook, 'hook.cjs')}`, LOADED: loaded, SVC_GW_NODE_ID: 'lean' };
  const agent = startProgram(['data-plane', '--config', config], env, { file: await ensureTestProgram() });
  t.teardown(() => agent.kill('SIGKILL'));
  // Its body is JSON, of which Koa asks more than of text.
  const answered = async () => {
    const answer = await fetch(`http://${admin}/api/v1/status`).catch(() => undefined);
    return answer?.headers.get('content-type')?.includes('json') || undefined;
  };
  await until('the agent to answer', answered);
  agent.kill('SIGTERM');
  await agent.ended;
  const modules = readFileSync(loaded, 'utf8').split('\n');
  t.true(modules.includes('NativeModule http'), 'the list is of that process');
  t.deepEqual(
    modules.filter((name) => /undici|webstreams/.test(name)),
    [],
  );
});
