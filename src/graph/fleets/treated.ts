import * as ir from '../../ir/index.ts';
import type { ResolvedListener, TableShape } from '../model/index.ts';
import { hostnamesOf, hostsOf } from './guarded.ts';
import { sameOnPort } from './same-on-port.ts';

/** What the filter chains do to requests to a listener. */
export type TreatmentOf = (listener: ResolvedListener) => ir.TrafficFilters | undefined;

/** A table with what is done to requests to its listeners. Those that have the same are one part. */
export function treated(treatmentOf: TreatmentOf): (shape: TableShape) => TableShape {
  const digestAt = (listener: ResolvedListener) => {
    const filters = treatmentOf(listener);
    return filters && ir.digestOf(filters);
  };
  const everywhere = sameOnPort(digestAt);
  return (shape) => {
    const { own, owners } = shape;
    const parts = [...Map.groupBy(own, digestAt)].flatMap(([digest, listeners]): ir.TrafficPart[] => {
      const [first] = listeners;
      const filters = first && treatmentOf(first);
      if (!filters) return [];
      return everywhere(owners) === digest ? [{ filters }] : [{ filters, hostnames: hostsOf(listeners, owners) }];
    });
    if (parts.length === 0) return shape;
    const isPartial = parts.some(({ hostnames }) => hostnames);
    return { ...shape, traffic: { parts, ...(isPartial && { hostnames: hostnamesOf(shape) }) } };
  };
}
