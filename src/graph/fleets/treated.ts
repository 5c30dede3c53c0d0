import * as ir from '../../ir/index.ts';
import type { ResolvedListener, TableShape, Treatment } from '../model/index.ts';
import { hostnamesOf, hostsOf } from './guarded.ts';
import { sameOnPort } from './same-on-port.ts';

/** What the filter chains do to requests to a listener. */
export type TreatmentOf = (listener: ResolvedListener) => Treatment | undefined;

/** A table with what is done to requests to its listeners. Those that have the same are one part. */
export function treated(treatmentOf: TreatmentOf): (shape: TableShape) => TableShape {
  const digestAt = (listener: ResolvedListener) => {
    const treatment = treatmentOf(listener);
    return treatment && ir.digestOf(treatment);
  };
  const everywhere = sameOnPort(digestAt);
  return (shape) => {
    const { own, owners } = shape;
    const parts = [...Map.groupBy(own, digestAt)].flatMap(([digest, listeners]): ir.TrafficPart[] => {
      const [first] = listeners;
      const treatment = first && treatmentOf(first);
      if (!treatment) return [];
      return [everywhere(owners) === digest ? treatment : { ...treatment, hostnames: hostsOf(listeners, owners) }];
    });
    if (parts.length === 0) return shape;
    const isPartial = parts.some(({ hostnames }) => hostnames);
    return { ...shape, traffic: { parts, ...(isPartial && { hostnames: hostnamesOf(shape) }) } };
  };
}
