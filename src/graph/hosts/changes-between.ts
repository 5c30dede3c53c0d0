import type { Map as ImmutableMap } from 'immutable';
import type * as ir from '../../ir/index.ts';
import { hasSameOwn } from './table-own.ts';

/**
 * What differs between two snapshots of the same graph, whatever lies between them. Gateways that share everything are
 * not looked into; of the others everything is.
 */
export function* changesBetween(before: ir.Snapshot, after: ir.Snapshot): Generator<ir.Change> {
  for (const key of keysOfBoth(before.gateways, after.gateways)) {
    const was = before.gateways.get(key);
    const is = after.gateways.get(key);
    if (was === is) continue;
    if (!was || !is) yield { kind: 'gateway', gateway: key, ...(was && { before: was }), ...(is && { after: is }) };
    if (is) yield* changesOfGateway({ snapshot: before, gateway: was }, { snapshot: after, gateway: is });
  }
}

/** A gateway, if it is there, in its snapshot. */
interface Place {
  readonly snapshot: ir.Snapshot;
  readonly gateway: ir.Fleet | undefined;
}

function* changesOfGateway(was: Place, is: Place): Generator<ir.Change> {
  const gateway = is.gateway?.key ?? '';
  const used = ({ gateway: user }: Place, key: string) => user?.backends.has(key) ?? false;
  const backendOf = (place: Place, key: string) => (used(place, key) ? place.snapshot.backends.get(key) : undefined);
  const endpointsOf = (place: Place, key: string) => (used(place, key) ? place.snapshot.endpoints.get(key) : undefined);
  for (const key of keysOfBoth(was.gateway?.backends, is.gateway?.backends)) {
    yield* ifDifferent(backendOf(was, key), backendOf(is, key), { kind: 'backend', gateway, key });
    yield* ifDifferent(endpointsOf(was, key), endpointsOf(is, key), { kind: 'endpoints', gateway, key });
  }
  for (const [key, before, after] of differences(was.gateway?.secrets, is.gateway?.secrets))
    yield { kind: 'secret', gateway, key, before, after };
  for (const [key, before, after] of differences(was.gateway?.listeners, is.gateway?.listeners))
    yield { kind: 'listener', gateway, key, before, after };
  for (const [table, before, after] of differences(was.gateway?.streams, is.gateway?.streams)) {
    for (const [host, old, fresh] of differences(before?.hosts, after?.hosts))
      yield { kind: 'stream', gateway, table, host, before: old, after: fresh };
  }
  for (const [table, before, after] of differences(was.gateway?.tables, is.gateway?.tables)) {
    if (!before || !after || !hasSameOwn(before, after)) yield { kind: 'table', gateway, table, before, after };
    for (const scope of ['exact', 'fallback'] as const) {
      for (const [host, old, fresh] of differences(before?.[scope], after?.[scope]))
        yield { kind: 'virtualHost', gateway, table, scope, host, before: old, after: fresh };
    }
  }
}

function* ifDifferent<T>(before: T | undefined, after: T | undefined, place: object): Generator<ir.Change> {
  if (before !== after) yield { ...place, before, after } as ir.Change;
}

function* differences<T>(
  before: ImmutableMap<string, T> | undefined,
  after: ImmutableMap<string, T> | undefined,
): Generator<readonly [key: string, before: T | undefined, after: T | undefined]> {
  if (before === after) return;
  for (const key of keysOfBoth(before, after)) {
    const [was, is] = [before?.get(key), after?.get(key)];
    if (was !== is) yield [key, was, is];
  }
}

const keysOfBoth = (
  one: ImmutableMap<string, unknown> | undefined,
  other: ImmutableMap<string, unknown> | undefined,
): Set<string> => new Set([...(one?.keys() ?? []), ...(other?.keys() ?? [])]);
