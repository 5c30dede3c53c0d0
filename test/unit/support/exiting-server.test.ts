import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { connect } from 'node:net';
import { createInterface } from 'node:readline';
import test from 'ava';
import { until } from '../../support/until.ts';

/** Starts a backend as a test does, prints its port, and would run for ever. */
const script = `
  import { ServerProcess } from ${JSON.stringify(new URL('../../support/rollout.ts', import.meta.url).href)};
  const { port } = await ServerProcess.start({ teardown() {} }, 'http1');
  console.log(port);`;

const answers = async (port: number): Promise<boolean> => {
  const socket = connect(port, '127.0.0.1');
  try {
    await once(socket, 'connect');
    return true;
  } catch {
    return false;
  } finally {
    socket.destroy();
  }
};

test('a backend ends with the test that started it, also when that is killed', async (t) => {
  const parent = spawn(process.execPath, ['--input-type=module', '-e', script], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  t.teardown(() => parent.kill('SIGKILL'));
  const [line] = await once(createInterface({ input: parent.stdout }), 'line');
  const port = Number(line);
  t.true(await answers(port));
  parent.kill('SIGKILL');
  await until('the backend to end', async () => !(await answers(port)));
  t.pass();
});
