import * as ir from '../../ir/index.ts';
import type { ResolvedListener, TableShape } from '../model/index.ts';
import { hostnamesOf, hostsOf } from './guarded.ts';
import { sameOnPort } from './same-on-port.ts';

/** What requests to a listener count against, the outermost level first. */
export type LimitsOf = (listener: ResolvedListener) => readonly ir.ListenerLimits[];

/** A table with the limits of its listeners. */
export function limited(limitsOf: LimitsOf): (shape: TableShape) => TableShape {
  const of = ir.tableLevels.map((level) => levelsAt(level, limitsOf));
  return (shape) => {
    const levels = of.flatMap((levelsOf) => levelsOf(shape));
    if (levels.length === 0) return shape;
    const isPartial = levels.some(({ hostnames }) => hostnames);
    return { ...shape, limits: { levels, ...(isPartial && { hostnames: hostnamesOf(shape) }) } };
  };
}

/** Listeners with the same policies of a level have the same object for it, and count together. */
function levelsAt(level: ir.TableLevel, limitsOf: LimitsOf): (shape: TableShape) => readonly ir.TableLevelLimits[] {
  const at = (listener: ResolvedListener) => limitsOf(listener).find((limits) => limits.level === level);
  const everywhere = sameOnPort(at);
  return ({ own, owners }) =>
    [...Map.groupBy(own, at)].flatMap(([limits, listeners]): ir.TableLevelLimits[] => {
      if (!limits) return [];
      return everywhere(owners) === limits ? [limits] : [{ ...limits, hostnames: hostsOf(listeners, owners) }];
    });
}
