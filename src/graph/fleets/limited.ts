import * as ir from '../../ir/index.ts';
import type { ResolvedListener, TableShape } from '../model/index.ts';
import { hostnamesOf, hostsOf } from './guarded.ts';

/** What requests to a listener count against, the outermost level first. */
export type LimitsOf = (listener: ResolvedListener) => readonly ir.ListenerLimits[];

/** A table with the limits of its listeners. */
export function limited(shape: TableShape, limitsOf: LimitsOf): TableShape {
  const levels = ir.tableLevels.flatMap((level) => levelsAt(level, shape, limitsOf));
  if (levels.length === 0) return shape;
  const isPartial = levels.some(({ hostnames }) => hostnames);
  return { ...shape, limits: { levels, ...(isPartial && { hostnames: hostnamesOf(shape) }) } };
}

/** Listeners with the same policies of a level have the same object for it, and count together. */
function levelsAt(level: ir.TableLevel, { own, owners }: TableShape, limitsOf: LimitsOf): ir.TableLevelLimits[] {
  const at = (listener: ResolvedListener) => limitsOf(listener).find((limits) => limits.level === level);
  return [...Map.groupBy(own, at)].flatMap(([limits, listeners]): ir.TableLevelLimits[] => {
    if (!limits) return [];
    if (owners.values().every((listener) => at(listener) === limits)) return [limits];
    return [{ ...limits, hostnames: hostsOf(listeners, owners) }];
  });
}
