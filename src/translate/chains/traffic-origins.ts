import * as ir from '../../ir/index.ts';
import { keyedTraffic, mayBeMeant, partWithout, trafficSlots } from '../filters/index.ts';
import type { ChainKind, Origin } from '../resource/index.ts';

interface InChain {
  readonly filter: ir.TrafficFilter;
  readonly key: string;
  readonly value: object;
}

const inChain = (kind: ChainKind, traffic: ir.TableTraffic | undefined): readonly InChain[] =>
  (traffic?.parts ?? []).flatMap(({ filters, sources }) =>
    keyedTraffic(filters, sources).filter(({ filter }) => trafficSlots[filter].chain === kind),
  );

/** What policies have in a chain, each of their filters by itself. A policy has the same everywhere. */
export const trafficOrigins = (kind: ChainKind, traffic: ir.TableTraffic | undefined): readonly Origin[] =>
  [...new Map(inChain(kind, traffic).map(({ key, value }) => [key, value]))].map(([key, value]) => ({
    kind: 'traffic',
    key,
    digest: ir.digestOf(value),
  }));

/** Those that Envoy's words speak of: they name the type of a filter. Where several have it, all of them are meant. */
export const trafficNamedIn = (
  kind: ChainKind,
  traffic: ir.TableTraffic | undefined,
  message: string,
): readonly string[] => [
  ...new Set(
    inChain(kind, traffic).flatMap(({ filter, key, value }) => (mayBeMeant(filter, value, message) ? key : [])),
  ),
];

export const trafficWithout = (
  traffic: ir.TableTraffic | undefined,
  keys: ReadonlySet<string>,
): ir.TableTraffic | undefined =>
  traffic && { ...traffic, parts: traffic.parts.map((part) => partWithout(part, keys)) };
