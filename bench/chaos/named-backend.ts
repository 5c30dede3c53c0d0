import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import type { Dice } from '../../test/support/fuzz/dice.ts';
import {
  addresses,
  type DnsQuestion,
  type DnsReply,
  type LyingDns,
  startLyingDns,
} from '../../test/support/lying-dns.ts';

/** The name of the backend, by DNS. */
export const backendName = 'backend.named.test';

/** What may not be reached by a name: this machine and its network, metadata, what is unspecified. */
const forbidden = ['127.0.0.1', '169.254.169.254', '0.0.0.0', '::1', '::ffff:127.0.0.1', 'fd00:ec2::254'];

/** A backend that is found by name, its name server, and what listens where that name must not lead. */
export class NamedBackend {
  readonly dns: LyingDns;
  readonly #address: string;
  readonly #trap: Server;
  readonly #ends: readonly (() => unknown)[];
  /** Requests that reached this machine by the name. */
  trapped = 0;

  private constructor(parts: { dns: LyingDns; address: string; trap: Server; ends: readonly (() => unknown)[] }) {
    this.dns = parts.dns;
    this.#address = parts.address;
    this.#trap = parts.trap;
    this.#ends = parts.ends;
    parts.trap.on('request', (_, response) => {
      this.trapped += 1;
      response.end('trapped');
    });
    this.beRight();
  }

  /** `port`: of the backend at this address; on loopback it has to be free. */
  static async start(address: string, port: number): Promise<NamedBackend> {
    const ends: (() => unknown)[] = [];
    const dns = await startLyingDns({ teardown: (end) => void ends.push(end) });
    const trap = createServer().listen(port, '127.0.0.1');
    await once(trap, 'listening');
    return new NamedBackend({ dns, address, trap, ends });
  }

  beRight(): void {
    this.dns.set(backendName, addresses(backendName, [this.#address]));
  }

  /** @returns what it says from now on */
  lie(dice: Dice): string {
    const lies: Readonly<Record<string, DnsReply | ((question: DnsQuestion) => DnsReply)>> = {
      'forbidden addresses': addresses(backendName, forbidden),
      'a forbidden address beside the right one': addresses(backendName, [this.#address, dice.pick(forbidden)]),
      'no such name': 'NXDOMAIN',
      'a failure': 'SERVFAIL',
      nothing: 'silence',
      'no address': [],
      'hundreds of addresses': addresses(
        backendName,
        Array.from({ length: 400 }, (_, at) => `198.18.${at >> 8}.${at & 255}`),
      ),
      'another address each time': () => [
        { type: 'A', name: backendName, ttl: 0, data: dice.pick(forbidden.slice(0, 3)) },
      ],
    };
    const lie = dice.pick(Object.keys(lies));
    this.dns.set(backendName, lies[lie] ?? 'NXDOMAIN');
    return lie;
  }

  async stop(): Promise<void> {
    for (const end of this.#ends) await end();
    this.#trap.closeAllConnections();
    this.#trap.close();
  }
}
