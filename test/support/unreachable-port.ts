import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { connect } from 'node:net';
import type { Teardown } from './attempts-at.ts';
import { until } from './until.ts';

const listening =
  "const s = require('net').createServer().listen({ host: '127.0.0.1', port: 0, backlog: 1 }, () => console.log(s.address().port))";

/** A port of 127.0.0.1 that answers no SYN, as on a node that is gone: its program is stopped, and its queue full. */
export async function unreachablePort(t: Teardown): Promise<number> {
  const child = spawn(process.execPath, ['-e', listening], { stdio: ['ignore', 'pipe', 'inherit'] });
  t.teardown(() => child.kill('SIGKILL'));
  const [line] = (await once(child.stdout, 'data')) as [Buffer];
  child.kill('SIGSTOP');
  await until('the stop', () => readFileSync(`/proc/${child.pid}/stat`, 'utf8').includes(') T '));
  const port = Number(String(line));
  // A queue holds one more than its length.
  for (let filler = 0; filler < 2; filler += 1) {
    const socket = connect(port, '127.0.0.1');
    t.teardown(() => socket.destroy());
    await once(socket, 'connect');
  }
  return port;
}
