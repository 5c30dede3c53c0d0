import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { promisify } from 'node:util';
import type { ExecutionContext } from 'ava';

const run = promisify(execFile);

/** One open connection of a client on another network, which can be cut as if the cable had been pulled. */
export interface FarClient {
  /** Neither side receives anything from the other any more, and neither is notified. */
  pullCable(): Promise<void>;
  /** What the kernel on the proxy's side has received of this connection: answers to its probes are among it. */
  packetsHeard(): Promise<number>;
}

/** Waits for its network, connects, asks, says what it was answered, and keeps the connection silently. */
const client = `
const [host, port, name] = process.argv.slice(1);
process.stdin.once('data', () => {
  const socket = require('node:net').connect(Number(port), host, () => socket.write('GET / HTTP/1.1\\r\\nhost: ' + name + '\\r\\n\\r\\n'));
  socket.on('error', ({ code }) => console.log(code));
  socket.once('data', (chunk) => console.log(String(chunk).split('\\r\\n')[0]));
});
console.log('waiting');
`;

/** Of a network for measurements between two machines (RFC 2544), which no router forwards. */
const [here, there] = ['198.18.73.1', '198.18.73.2'];

/**
 * A client in a network namespace of its own that has asked for `/` of a host once, been answered 200, and keeps the connection; a text that says why there can
 * be none. It goes with the test.
 */
export async function farClient(t: ExecutionContext, port: number, host: string): Promise<FarClient | string> {
  if (process.getuid?.() !== 0) return 'only root may make a network';
  const child = spawn('unshare', ['--net', process.execPath, '-e', client, here, String(port), host], {
    stdio: ['pipe', 'pipe', 'inherit'],
  });
  const ended = once(child, 'close');
  t.teardown(async () => {
    child.kill('SIGKILL');
    await ended;
  });
  const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]();
  if ((await lines.next()).done) return 'no network namespace can be made here';
  const cable = `gw${child.pid}`;
  const ip = (...args: string[]) => run('ip', args);
  const inside = (...args: string[]) => run('nsenter', ['--net', '--target', String(child.pid), 'ip', ...args]);
  await ip('link', 'add', cable, 'type', 'veth', 'peer', 'name', 'far', 'netns', String(child.pid));
  t.teardown(() => ip('link', 'delete', cable).catch(() => undefined));
  await ip('address', 'add', `${here}/30`, 'dev', cable);
  await ip('link', 'set', cable, 'up');
  await inside('address', 'add', `${there}/30`, 'dev', 'far');
  await inside('link', 'set', 'far', 'up');
  child.stdin.write('go\n');
  const { value } = await lines.next();
  t.is(value, 'HTTP/1.1 200 OK');
  return {
    // The side of the proxy stays up: it would know at once.
    packetsHeard: async () => {
      const { stdout } = await run('ss', ['-tniH', 'dst', there]);
      return Number(/\bsegs_in:(\d+)/.exec(stdout)?.[1] ?? 0);
    },
    pullCable: async () => void (await inside('link', 'set', 'far', 'down')),
  };
}
