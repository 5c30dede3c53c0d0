import { parseObjectKey } from '../../gateway-api/index.ts';
import { editDistance } from '../../std/index.ts';
import type { Steps } from '../../std/steps/index.ts';
import type { NamedThing } from './named-things.ts';
import type { FoundRecord, Nearness } from './record.ts';

type Match = FoundRecord['matches'][number];

const ranking: readonly Nearness[] = ['name', 'hostname', 'part', 'near'];

/** What each word may mean, in one walk over all things that have a name; `most` matches of each. A word that is being typed may be a part of a hostname, too. */
export function* findNames(
  things: Iterable<NamedThing>,
  words: readonly { readonly text: string; readonly isTyped: boolean }[],
  most: number,
): Steps<readonly FoundRecord[]> {
  const searches = words.map(({ text, isTyped }) => new Search(text, most, isTyped));
  for (const thing of things) {
    for (const search of searches) search.look(thing);
    yield;
  }
  return searches.map((search) => search.found());
}

/** The search for one word: it keeps only the best matches. */
class Search {
  readonly #word: string;
  readonly #namespace: string | undefined;
  readonly #name: string;
  readonly #most: number;
  readonly #isTyped: boolean;
  readonly #kept: { readonly match: Match; readonly rank: number }[] = [];
  #total = 0;

  /** `NAME`, `NAMESPACE/NAME` or a hostname. */
  constructor(word: string, most: number, isTyped: boolean) {
    const { namespace, name } = parseObjectKey(word.toLowerCase());
    this.#word = word;
    this.#namespace = namespace === '' ? undefined : namespace;
    this.#name = name;
    this.#most = most;
    this.#isTyped = isTyped;
  }

  look({ object, hostnames, alias }: NamedThing): void {
    const distance = this.#namespace === undefined || this.#namespace === object.namespace ? 0 : 0.5;
    const rank = alias === this.#name ? 0 : rankOf(this.#name, object.name);
    if (rank !== undefined)
      this.#keep({ object, by: ranking[Math.floor(rank)] ?? 'near', hostname: null }, rank + distance);
    else if (this.#namespace === undefined) this.#lookAtHosts(object, hostnames);
  }

  #lookAtHosts(object: Match['object'], hostnames: readonly string[]): void {
    if (!this.#isTyped && !this.#name.includes('.')) return;
    for (const hostname of hostnames) {
      const rank = rankOf(this.#name, hostname);
      const isPart = rank !== undefined && rank >= 2 && rank < 3;
      if (rank === undefined || (isPart && !this.#isTyped)) continue;
      const by = rank === 0 ? 'hostname' : isPart ? 'part' : 'near';
      this.#keep({ object, by, hostname }, rank === 0 ? 1 : rank);
      return;
    }
  }

  #keep(match: Match, rank: number): void {
    this.#total += 1;
    const last = this.#kept.at(-1);
    if (this.#kept.length >= this.#most && last !== undefined && last.rank <= rank) return;
    const at = this.#kept.findIndex((kept) => kept.rank > rank);
    this.#kept.splice(at < 0 ? this.#kept.length : at, 0, { match, rank });
    if (this.#kept.length > this.#most) this.#kept.pop();
  }

  found(): FoundRecord {
    return { word: this.#word, matches: this.#kept.map(({ match }) => match), total: this.#total };
  }
}

/** Shorter words are in half of all names, and near to as many. */
const shortest = 3;

/** 0: it is the name; from 2: it is a part of it; from 3: so many letters differ. Undefined: neither. */
function rankOf(word: string, name: string): number | undefined {
  if (name === word) return 0;
  if (word.length < shortest) return undefined;
  if (name.includes(word)) return 2 + Math.min(0.4, (name.length - word.length) / 100);
  const most = Math.max(1, Math.floor(word.length / 4));
  if (word.length <= shortest || Math.abs(name.length - word.length) > most) return undefined;
  const distance = editDistance(word, name, most);
  return distance <= most ? 3 + distance / 100 : undefined;
}
