import type { Streams } from '../peer/subject.ts';
import { Member } from './member.ts';

/** Proxies that are none: each a connection of its own with one delta stream that takes and acknowledges everything. */
export class Fleet {
  readonly #members: Member[] = [];
  readonly #port: number;
  readonly #streams: Streams;
  /** Of messages that came. */
  bytes = 0;
  /** Why a stream ended, the first one. */
  error: Error | undefined;

  constructor(port: number, streams: Streams) {
    this.#port = port;
    this.#streams = streams;
  }

  /** How many have all that there is. */
  get joined(): number {
    return this.#members.filter(({ isComplete }) => isComplete).length;
  }

  /** So many join, some at a time, for the Gateway that `clusterOf` says. Returns at once. */
  join(count: number, clusterOf: (at: number) => string): void {
    const numbers = Array.from({ length: count }, (_, at) => at).values();
    const joinSome = async () => {
      for (const at of numbers) await this.#add(`proxy-${at}`, clusterOf(at)).complete;
    };
    for (let at = 0; at < joiningAtOnce; at += 1) void joinSome();
  }

  #add(id: string, cluster: string): Member {
    const member = new Member(
      this.#port,
      this.#streams,
      { id, cluster },
      {
        bytes: (count) => {
          this.bytes += count;
        },
        error: (error) => {
          this.error ??= error;
        },
      },
    );
    this.#members.push(member);
    return member;
  }

  /** From now on everyone waits for all its endpoints to have that address. */
  expect(address: string): void {
    for (const member of this.#members) member.expect(address);
  }

  /** When each that has it got it. */
  get arrivals(): number[] {
    return this.#members.map(({ arrivedAt }) => arrivedAt).filter((at) => at !== undefined);
  }

  close(): void {
    for (const member of this.#members) member.close();
  }
}

const joiningAtOnce = 20;
