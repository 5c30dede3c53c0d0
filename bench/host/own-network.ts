import { spawnSync } from 'node:child_process';
import { endBySignals } from '../support/end-by-signals.ts';

/** The stub backend's address: EndpointSlices may not hold loopback addresses. From the range for documentation (RFC 5737). */
export const backendAddress = '198.51.100.1';

/** Addresses for pods, all of them of this machine: `198.18.0.0` and on, from the range for benches (RFC 2544). */
export const podAddress = (at: number): string => `198.18.${(at >> 8) & 255}.${at & 255}`;

/** Where pods take requests: a port that no control plane has for itself. */
export const podPort = 7070;

/**
 * Runs this very program again in a network of its own (unshare, ip), in which the backend's address is one of this machine, and ends
 * with its status. Does nothing there. With `folder`, the program also gets an empty folder of memory that is its own: only root may have it.
 */
export function inOwnNetwork({ folder }: { readonly folder?: string } = {}): void {
  if (process.env.GATEWRIGHT_BENCH_NETWORK) {
    endBySignals();
    return;
  }
  const asRoot = process.getuid?.() === 0 ? [] : ['--map-root-user'];
  const mounts = folder === undefined ? [] : ['--mount'];
  const steps = [
    'ip link set lo up',
    `ip address add ${backendAddress}/32 dev lo`,
    // To the loopback device each address of a network is its own.
    'ip address add 198.18.0.0/15 dev lo',
    ...(folder === undefined ? [] : [`mkdir -p ${folder}`, `mount -t tmpfs tmpfs ${folder}`]),
    // Who ends this process means the one inside.
    'exec setpriv --pdeathsig TERM "$@"',
  ];
  const command = [process.execPath, ...process.execArgv, ...process.argv.slice(1)];
  const { status, error } = spawnSync(
    'unshare',
    [...asRoot, '--net', ...mounts, 'sh', '-c', steps.join(' && '), 'sh', ...command],
    { env: { ...process.env, GATEWRIGHT_BENCH_NETWORK: '1' }, stdio: 'inherit' },
  );
  if (error) process.stderr.write(`unshare: ${error.message}; the bench needs Linux with util-linux and iproute2\n`);
  process.exit(status ?? 1);
}
