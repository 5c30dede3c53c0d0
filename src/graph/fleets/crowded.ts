import { parseObjectKey } from '../../gateway-api/index.ts';
import * as ir from '../../ir/index.ts';
import { compareText, type Guard, type ResolvedListener } from '../model/index.ts';
import type { GuardOf } from './guarded.ts';

/**
 * How many different demands one level of a table has. Proxies compare a request with all of them, and make all of them again when one changes.
 * Namespaces share the places evenly, and each gives its own to its oldest policies.
 */
const mostDemands = 256;

/** By place of a listener: the levels whose demands come too late for their table. */
export type Crowded = ReadonlyMap<string, readonly ir.TableLevel[]>;

/** Of the listeners of one port. Only those of protocol HTTP share a table. */
export function crowdedOn(members: readonly ResolvedListener[], guardOf: GuardOf): Crowded {
  const sharing = members.filter(({ protocol }) => protocol === 'HTTP');
  const crowded = new Map<string, ir.TableLevel[]>();
  if (sharing.length <= mostDemands) return crowded;
  for (const level of ir.tableLevels)
    for (const place of placesTooMany(level, sharing, guardOf))
      crowded.set(place, [...(crowded.get(place) ?? []), level]);
  return crowded;
}

interface Group {
  readonly since: string;
  readonly source: string;
  readonly places: string[];
}

function placesTooMany(level: ir.TableLevel, listeners: readonly ResolvedListener[], guardOf: GuardOf): string[] {
  const groups = new Map<ir.Digest, Group>();
  for (const listener of listeners) {
    const guard = guardOf(listener);
    const access = guard?.levels.find((demanded) => demanded.level === level);
    if (!guard || !access) continue;
    const digest = ir.digestOf(access);
    const group = groups.get(digest) ?? { since: guard.since[level] ?? '', source: access.source, places: [] };
    group.places.push(listener.place);
    groups.set(digest, group);
  }
  if (groups.size <= mostDemands) return [];
  return inTurns([...groups.values()])
    .slice(mostDemands)
    .flatMap(({ places }) => places);
}

/** Namespaces take turns, so that one with many policies closes its own and not those of others. In each turn the oldest come first. */
function inTurns(groups: readonly Group[]): readonly Group[] {
  const taken = new Map<string, number>();
  const turns = groups.toSorted(byAge).map((group) => {
    const { namespace } = parseObjectKey(group.source);
    const turn = taken.get(namespace) ?? 0;
    taken.set(namespace, turn + 1);
    return { group, turn };
  });
  return turns.sort((one, other) => one.turn - other.turn).map(({ group }) => group);
}

const byAge = (one: Group, other: Group): number =>
  compareText(one.since, other.since) || compareText(one.source, other.source);

/** What comes too late lets no request in, and is one demand for all of whom that is said of the same parts. */
export function withoutCrowded(guard: Guard, crowded: readonly ir.TableLevel[]): Guard {
  const levels = guard.levels.map((access) => (crowded.includes(access.level) ? closedLate(access) : access));
  return { ...guard, levels };
}

function closedLate(access: ir.ListenerAccess): ir.ListenerAccess {
  const closed = ir.accessParts.filter((part) => access[part] !== undefined || access.closed?.includes(part));
  return { level: access.level, source: '', overridable: [], closed };
}
