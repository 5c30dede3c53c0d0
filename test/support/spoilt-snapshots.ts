import * as ir from '../../src/ir/index.ts';

/** A snapshot with one number that is out of all bounds. */
interface Spoilt {
  /** Of the number, such as `backend.port`. */
  readonly path: string;
  readonly snapshot: ir.Snapshot;
  /** Whether a resource, by `GATEWAY TYPE NAME`, is made of the fragment that has the number. */
  readonly mayDiffer: (resource: string) => boolean;
}

type Fragment = Exclude<ir.Change, { kind: 'gateway' }>;

/** One for each number whose path is not among `seen`, with each of the values. */
export function* spoilt(snapshot: ir.Snapshot, seen: Set<string>, values: readonly number[]): Generator<Spoilt> {
  for (const change of ir.allChanges(snapshot)) {
    if (change.kind === 'gateway' || !change.after) continue;
    for (const { path, replace } of numbersIn(change.after, change.kind)) {
      if (seen.has(path)) continue;
      seen.add(path);
      for (const value of values)
        yield {
          path: `${path} = ${value}`,
          snapshot: withFragment(snapshot, change, replace(value)),
          mayDiffer: partOf(change),
        };
    }
  }
}

interface Place {
  readonly path: string;
  readonly replace: (value: number) => object;
}

/** Of plain objects and lists: a map has fragments of its own. */
function* numbersIn(value: object, path: string): Generator<Place> {
  for (const [key, child] of Object.entries(value)) {
    const at = Array.isArray(value) ? `${path}[]` : `${path}.${key}`;
    const put = (changed: unknown): object =>
      Array.isArray(value) ? value.with(Number(key), changed) : { ...value, [key]: changed };
    if (typeof child === 'number') yield { path: at, replace: put };
    else if (isPlain(child))
      for (const place of numbersIn(child, at))
        yield { path: place.path, replace: (number) => put(place.replace(number)) };
  }
}

const isPlain = (value: unknown): value is object =>
  Array.isArray(value) ||
  (typeof value === 'object' && value !== null && Object.getPrototypeOf(value) === Object.prototype);

function withFragment(snapshot: ir.Snapshot, change: Fragment, fragment: object): ir.Snapshot {
  const { gateways, backends, endpoints } = snapshot;
  const fleet = gateways.get(change.gateway) as ir.Fleet;
  const withFleet = (changed: Partial<ir.Fleet>): ir.Snapshot => ({
    ...snapshot,
    gateways: gateways.set(change.gateway, { ...fleet, ...changed }),
  });
  switch (change.kind) {
    case 'backend':
      return { ...snapshot, backends: backends.set(change.key, fragment as ir.Backend) };
    case 'endpoints':
      return { ...snapshot, endpoints: endpoints.set(change.key, fragment as ir.Endpoints) };
    case 'secret':
      return withFleet({ secrets: fleet.secrets.set(change.key, fragment as ir.Secret) });
    case 'listener':
      return withFleet({ listeners: fleet.listeners.set(change.key, fragment as ir.Listener) });
    case 'table':
      return withFleet({ tables: fleet.tables.set(change.table, fragment as ir.RouteTable) });
    case 'stream': {
      const table = fleet.streams.get(change.table) as ir.StreamTable;
      const hosts = table.hosts.set(change.host, fragment as ir.StreamHost);
      return withFleet({ streams: fleet.streams.set(change.table, { ...table, hosts }) });
    }
    case 'virtualHost': {
      const table = fleet.tables.get(change.table) as ir.RouteTable;
      const hosts = table[change.scope].set(change.host, fragment as ir.VirtualHost);
      return withFleet({ tables: fleet.tables.set(change.table, { ...table, [change.scope]: hosts }) });
    }
  }
}

/** Resources have the key of what they are made of in their names. Tables have filter chains, which hold what their routes use. */
function partOf(change: Fragment): (resource: string) => boolean {
  switch (change.kind) {
    case 'backend':
    case 'endpoints':
    case 'secret':
    case 'listener':
      return (resource) => resource.includes(change.key);
    case 'stream':
      return (resource) => resource.includes(change.table) || resource.includes('Listener ');
    case 'table':
      return (resource) => /^\S+ (TypedExtensionConfig|Listener) /.test(resource) && resource.includes(change.table);
    case 'virtualHost':
      return (resource) =>
        resource.includes(change.scope === 'exact' ? `${change.table}|${change.host}` : `${change.table}|*`) ||
        (/^\S+ (TypedExtensionConfig|Listener) /.test(resource) && resource.includes(change.table));
  }
}
