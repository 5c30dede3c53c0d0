import { chainsWith } from './slots-of-chain.ts';

type Needs = ReadonlyMap<string, readonly string[]>;

/** By table and slots. Thousands of scopes need the same. */
const known = new Map<string, Needs>();
const mostKnown = 4096;

/** What a resource of the table needs whose routes fill these slots; undefined: nothing. `inBase`: its requests meet `base`, as a rule. */
export function needsOf(table: string, used: Iterable<string>, inBase = false): Needs | undefined {
  const names = [...new Set(used)].sort();
  if (names.length === 0) return undefined;
  const key = [table, inBase, ...names].join('\n');
  const before = known.get(key);
  if (before) return before;
  const needs = new Map<string, string[]>();
  for (const name of names)
    for (const chain of chainsWith(name, table, inBase)) needs.set(chain, [...(needs.get(chain) ?? []), name]);
  if (known.size >= mostKnown) known.clear();
  known.set(key, needs);
  return needs;
}
