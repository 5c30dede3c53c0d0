import { once } from 'node:events';
import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/*
 * For programs that need their port before they open it. A port that the system hands out (`listen(0)`) will not do: once the port is
 * free again, the system may give it to any outgoing connection, and now and then the program finds its port taken. So these ports are
 * below the range that the system hands out. Each is claimed for as long as the process lives, so that parallel test processes do not
 * collide either.
 */

/** Below Linux's ephemeral ports (32768 on) and below Kubernetes' node ports (30000 on). */
const [lowest, highest] = [15_000, 29_999];
const attempts = 1_000;

const claims = join(tmpdir(), 'gatewright-ports');
const mine = new Set<string>();
process.once('exit', () => {
  for (const claim of mine) rmSync(claim, { force: true });
});

/** A free port of 127.0.0.1, which no other caller gets while this process lives. */
export async function freePort(): Promise<number> {
  mkdirSync(claims, { recursive: true });
  for (let attempt = 0; attempt < attempts; attempt++) {
    const port = lowest + Math.floor(Math.random() * (highest - lowest + 1));
    if (claim(join(claims, String(port))) && (await canListen(port))) return port;
  }
  throw new Error(`no free port between ${lowest} and ${highest} of 127.0.0.1 in ${attempts} attempts`);
}

function claim(path: string): boolean {
  if (mine.has(path)) return false;
  const holder = holderOf(path);
  if (holder !== undefined && isAlive(holder)) return false;
  if (holder !== undefined) rmSync(path, { force: true });
  try {
    writeFileSync(path, String(process.pid), { flag: 'wx' });
  } catch {
    return false; // Another process was faster.
  }
  mine.add(path);
  return true;
}

function holderOf(path: string): number | undefined {
  try {
    return Number(readFileSync(path, 'utf8'));
  } catch {
    return undefined;
  }
}

// 0 is a claim that is just being written.
function isAlive(pid: number): boolean {
  if (pid === 0) return true;
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM';
  }
}

async function canListen(port: number): Promise<boolean> {
  const server = createServer();
  try {
    server.listen(port, '127.0.0.1');
    await once(server, 'listening');
    return true;
  } catch {
    return false;
  } finally {
    if (server.listening) await new Promise((resolve) => server.close(resolve));
  }
}
