import { readFileSync } from 'node:fs';

/** A TCP socket of this machine, as the kernel's own table has it (proc_net_tcp(5)). */
export interface TcpSocket {
  readonly state: 'established' | 'listening' | 'other';
  readonly localPort: number;
  /** 0 of one that listens. */
  readonly remotePort: number;
  /** When the next keepalive probe is due, in seconds; undefined: none is. */
  readonly keepaliveSeconds: number | undefined;
}

const states: Readonly<Record<string, TcpSocket['state']>> = { '01': 'established', '0A': 'listening' };
const keepaliveTimer = '02';
/** USER_HZ, in which the kernel reports times, is this on every architecture that Envoy runs on. */
const ticksPerSecond = 100;

/** All there are at the moment, by IPv4 and IPv6. */
export const tcpSockets = (): TcpSocket[] =>
  ['/proc/net/tcp', '/proc/net/tcp6'].flatMap((path) =>
    readFileSync(path, 'utf8').trim().split('\n').slice(1).map(read),
  );

function read(line: string): TcpSocket {
  const [, local = '', remote = '', state = '', , timer = ''] = line.trim().split(/\s+/);
  const [kind, when = '0'] = timer.split(':');
  return {
    state: states[state] ?? 'other',
    localPort: portOf(local),
    remotePort: portOf(remote),
    keepaliveSeconds: kind === keepaliveTimer ? Number.parseInt(when, 16) / ticksPerSecond : undefined,
  };
}

const portOf = (address: string): number => Number.parseInt(address.split(':')[1] ?? '', 16);

/** How many sockets listen on a port. */
export const listenersOn = (port: number): number =>
  tcpSockets().filter(({ state, localPort }) => state === 'listening' && localPort === port).length;
