import { execFile } from 'node:child_process';
import { promisify } from 'node:util';

/** For thousands of connections, half a kilobyte each. */
const maxBuffer = 64 * 2 ** 20;

/**
 * Bytes that the process which serves this port has sent over its open connections, by the kernel's count (`ss`): what goes over the wire,
 * with TLS where there is some. Nothing stands between the two sides.
 */
export async function bytesSentFrom(port: number): Promise<number> {
  const { stdout } = await promisify(execFile)('ss', ['-tniH', 'state', 'established', `sport = :${port}`], {
    maxBuffer,
  });
  return [...stdout.matchAll(/\bbytes_sent:(\d+)/g)].reduce((sum, [, bytes]) => sum + Number(bytes), 0);
}
