import type { DecodedPacket } from 'dns-packet';
import { askServer, type NameQuestion, rcodeOf, type ServerAddress } from './ask-server.ts';

/** How long one server is waited for, in the first round and in the second. A whole question ends before Envoy gives it up. */
const patienceMs = [1000, 2000] as const;
const wholeMs = 4500;

/** Answers that say that the server could not do it, so that another one is asked. */
const unable = new Set(['SERVFAIL', 'REFUSED', 'NOTIMP', 'FORMERR']);

/** The name servers of the system: one is asked after the other, the one that answered last first. */
export class NameServerPool {
  #lastGood: string | undefined;

  /** Rejects when none can answer. */
  async ask(servers: readonly ServerAddress[], question: NameQuestion): Promise<DecodedPacket> {
    const whole = AbortSignal.timeout(wholeMs);
    let why = new Error('there is no name server: /etc/resolv.conf has none');
    for (const patience of patienceMs) {
      for (const server of this.#inOrder(servers)) {
        if (whole.aborted) throw why;
        try {
          const answer = await askServer(server, question, AbortSignal.any([whole, AbortSignal.timeout(patience)]));
          if (!unable.has(rcodeOf(answer))) {
            this.#lastGood = placeOf(server);
            return answer;
          }
          why = new Error(`${server.address} answers ${rcodeOf(answer)}`);
        } catch (error) {
          why = error as Error;
        }
      }
    }
    throw why;
  }

  #inOrder(servers: readonly ServerAddress[]): readonly ServerAddress[] {
    const good = servers.filter((server) => placeOf(server) === this.#lastGood);
    return [...good, ...servers.filter((server) => !good.includes(server))];
  }
}

const placeOf = ({ address, port }: ServerAddress): string => `${address} ${port}`;
