import { execFile, spawn } from 'node:child_process';
import { randomInt } from 'node:crypto';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { promisify } from 'node:util';

const run = promisify(execFile);

/** Another machine on a network of two: this one, and a network namespace. */
export interface FarNetwork {
  /** This machine's address on it. */
  readonly here: string;
  /** The other machine's. */
  readonly there: string;
  /** What to put before a command line so that it runs on the other machine. */
  readonly prefix: readonly string[];
  /** Runs a script of Node's on the other machine, and gives what it wrote to standard output. `args`: `process.argv` from 1 on. */
  run(script: string, ...args: string[]): Promise<string>;
}

/** Waits for ever, so that its network stays. */
const holder = 'console.log("there"); setInterval(() => {}, 2 ** 30);';

/** A network that goes with the test; a text that says why there can be none. */
export async function farNetwork(t: { teardown(end: () => Promise<void>): void }): Promise<FarNetwork | string> {
  if (process.getuid?.() !== 0) return 'only root may make a network';
  const child = spawn('unshare', ['--net', process.execPath, '-e', holder], { stdio: ['ignore', 'pipe', 'inherit'] });
  const ended = once(child, 'close');
  t.teardown(async () => {
    child.kill('SIGKILL');
    await ended;
  });
  if ((await createInterface({ input: child.stdout })[Symbol.asyncIterator]().next()).done)
    return 'no network namespace can be made here';
  // Of a network for measurements between two machines (RFC 2544), which no router forwards; other tests have others.
  const net = `198.19.${randomInt(256)}.${randomInt(64) * 4}`;
  const [here, there] = [1, 2].map((host) => net.replace(/\d+$/, (last) => String(Number(last) + host))) as [
    string,
    string,
  ];
  const cable = `gwf${child.pid}`;
  const prefix = ['nsenter', '--net', '--target', String(child.pid)];
  const inside = (...args: string[]) => run(prefix[0] as string, [...prefix.slice(1), ...args]);
  await run('ip', ['link', 'add', cable, 'type', 'veth', 'peer', 'name', 'far', 'netns', String(child.pid)]);
  t.teardown(async () => void (await run('ip', ['link', 'delete', cable]).catch(() => undefined)));
  await run('ip', ['address', 'add', `${here}/30`, 'dev', cable]);
  await run('ip', ['link', 'set', cable, 'up']);
  await inside('ip', 'address', 'add', `${there}/30`, 'dev', 'far');
  await inside('ip', 'link', 'set', 'far', 'up');
  await inside('ip', 'link', 'set', 'lo', 'up');
  return {
    here,
    there,
    prefix,
    run: async (script, ...args) => (await inside(process.execPath, '-e', script, ...args)).stdout,
  };
}
