import type { Change, Fleet, Snapshot } from './snapshot.ts';

/** The changes that lead from nothing to this snapshot: what a cold translation starts from. Sorted, so equal snapshots give equal lists. */
export function* allChanges(snapshot: Snapshot): Generator<Change> {
  for (const key of sorted(snapshot.gateways.keys())) {
    const gateway = snapshot.gateways.get(key) as Fleet;
    yield { kind: 'gateway', gateway: key, after: gateway };
    yield* changesOfGateway(snapshot, gateway);
  }
}

function* changesOfGateway(snapshot: Snapshot, gateway: Fleet): Generator<Change> {
  const { key: name } = gateway;
  for (const key of sorted(gateway.backends.keys())) {
    yield { kind: 'backend', gateway: name, key, after: snapshot.backends.get(key) };
    yield { kind: 'endpoints', gateway: name, key, after: snapshot.endpoints.get(key) };
  }
  for (const key of sorted(gateway.secrets.keys()))
    yield { kind: 'secret', gateway: name, key, after: gateway.secrets.get(key) };
  for (const key of sorted(gateway.listeners.keys())) {
    yield { kind: 'listener', gateway: name, key, after: gateway.listeners.get(key) };
  }
  for (const id of sorted(gateway.streams.keys())) {
    const hosts = gateway.streams.get(id)?.hosts;
    for (const host of sorted(hosts?.keys() ?? []))
      yield { kind: 'stream', gateway: name, table: id, host, after: hosts?.get(host) };
  }
  for (const id of sorted(gateway.tables.keys())) {
    const table = gateway.tables.get(id);
    yield { kind: 'table', gateway: name, table: id, after: table };
    for (const scope of ['exact', 'fallback'] as const) {
      for (const host of sorted(table?.[scope].keys() ?? [])) {
        yield { kind: 'virtualHost', gateway: name, table: id, scope, host, after: table?.[scope].get(host) };
      }
    }
  }
}

const sorted = (keys: Iterable<string>): string[] => [...keys].sort();
