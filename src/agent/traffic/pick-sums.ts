import { type PickRow, trafficLimits } from '../../contracts/index.ts';
import type { PickName } from './counter-names.ts';

interface PickSum extends PickName {
  requests: number;
}

/** How many requests to pools ended in which way, and at which server. */
export class PickSums {
  #sums = new Map<string, PickSum>();

  add(name: PickName, requests: number): void {
    add(this.#sums, name, requests);
  }

  /** What was added since these were last drained. Above the limit the busiest servers are named, and the rest is counted without. */
  drain(): PickRow[] {
    const sums = [...this.#sums.values()];
    this.#sums = new Map();
    if (sums.length <= trafficLimits.picks) return sums.map(encoded);
    sums.sort((a, b) => b.requests - a.requests);
    const nameless = new Map<string, PickSum>();
    for (const sum of sums.splice(trafficLimits.picks / 2)) add(nameless, { ...sum, endpoint: '' }, sum.requests);
    return [...sums, ...nameless.values()].slice(0, trafficLimits.picks).map(encoded);
  }
}

function add(sums: Map<string, PickSum>, { pool, outcome, endpoint }: PickName, requests: number): void {
  const key = `${pool}\n${outcome}\n${endpoint}`;
  const known = sums.get(key);
  if (known !== undefined) known.requests += requests;
  else sums.set(key, { pool, outcome, endpoint, requests });
}

const encoded = ({ pool, outcome, endpoint, requests }: PickSum): PickRow => [pool, outcome, endpoint, requests];
