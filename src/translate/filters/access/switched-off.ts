import type { JsonObject } from '@bufbuild/protobuf';
import * as ir from '../../../ir/index.ts';
import type { Predicate } from '../slot.ts';
import { type KeptText, keepText, stateIs } from '../slot-lists.ts';

/*
 * Where requests wait in `access`, what tables demand is beside the chain (guard-stops.ts), and has no names of filters by which routes could switch
 * parts off. So their metadata says it, too, and the head of such a chain keeps it.
 */

const namespace = 'gatewright.access';
const key = 'off';
const stateKey = 'gatewright.guards.off';

/** What a route's metadata says: each part between commas. */
export const switchedOffMetadata = ({ overrides = [] }: ir.RouteAccess): Readonly<Record<string, JsonObject>> =>
  overrides.length === 0 ? {} : { [namespace]: { [key]: `,${[...overrides].sort().join()},` } };

/** For the head of a chain. */
export const keptSwitchedOff: KeptText = keepText(stateKey, `%METADATA(ROUTE:${namespace}:${key})%`);

/** The request's route does without this part of what the table demands. */
export function isSwitchedOff(part: ir.AccessPart, demand: ir.Access): Predicate {
  const [predicate, ...more] = ir.neededOff(part, { letsPass: ir.letsPass(demand) }).map(isOff);
  if (predicate && more.length === 0) return predicate;
  return { matchType: { case: 'andMatcher', value: { predicate: [...(predicate ? [predicate] : []), ...more] } } };
}

const isOff = (part: ir.AccessPart): Predicate => stateIs(stateKey, { case: 'contains', value: `,${part},` });
