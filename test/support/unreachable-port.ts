import { spawn } from 'node:child_process';
import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { connect, type Socket } from 'node:net';
import { until } from './until.ts';

interface Teardown {
  readonly teardown: (end: () => void) => void;
}

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

/** Sockets of this process that have tried to connect to the port since the call. */
export function attemptsAt(t: Teardown, port: number): readonly Socket[] {
  const sockets: Socket[] = [];
  const note = (message: unknown) => {
    const { socket } = message as { readonly socket: Socket };
    socket.once('connectionAttempt', (_address, to) => to === port && sockets.push(socket));
  };
  subscribe('net.client.socket', note);
  t.teardown(() => unsubscribe('net.client.socket', note));
  return sockets;
}
