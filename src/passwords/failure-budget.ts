import { LruMap } from '../std/memory/index.ts';

export interface BudgetLimits {
  /** Wrong passwords in a row. */
  readonly burst: number;
  /** After which one more is free again. */
  readonly refillMs: number;
}

interface Spent {
  readonly failures: number;
  readonly at: number;
}

/** Addresses that are remembered; one that is forgotten begins again. */
const mostAddresses = 20_000;

/** How many wrong passwords an address may try. Right ones cost nothing, so an office behind one address does not lock itself out by coming in. */
export class FailureBudget {
  readonly #limits: BudgetLimits;
  readonly #now: () => number;
  readonly #spent = new LruMap<string, Spent>(mostAddresses);

  /** @param now milliseconds */
  constructor(limits: BudgetLimits, now: () => number) {
    this.#limits = limits;
    this.#now = now;
  }

  allows(owner: string): boolean {
    return this.#failuresOf(owner) + 1 <= this.#limits.burst;
  }

  failed(owner: string): void {
    this.#spent.set(owner, { failures: this.#failuresOf(owner) + 1, at: this.#now() });
  }

  #failuresOf(owner: string): number {
    const spent = this.#spent.get(owner);
    if (!spent) return 0;
    return Math.max(0, spent.failures - (this.#now() - spent.at) / this.#limits.refillMs);
  }
}

/** Whose budget an address is: of IPv6 the network of 64 bits, of which a client has all addresses. */
export function ownerOf(address: string): string {
  if (!address.includes(':') || address.includes('.')) return address;
  const [head = '', tail = ''] = address.split('%', 1)[0]?.split('::', 2) ?? [];
  const [before, after] = [head, tail].map((part) => (part === '' ? [] : part.split(':'))) as [string[], string[]];
  const zeros = Array.from({ length: Math.max(0, 8 - before.length - after.length) }, () => '0');
  const groups = [...before, ...zeros, ...after].slice(0, 4);
  return `${groups.map((group) => Number.parseInt(group, 16).toString(16)).join(':')}::/64`;
}
