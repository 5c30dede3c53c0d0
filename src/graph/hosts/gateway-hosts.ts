import { each, type Steps } from '../../std/steps/index.ts';
import type { TableShape } from '../model/index.ts';
import { type Contribution, placeOf } from './contribution.ts';
import type { SnapshotState } from './snapshot-state.ts';
import { VirtualHosts } from './virtual-hosts.ts';

interface OpenTable {
  readonly signature: string;
  readonly hosts: VirtualHosts;
}

/** The virtual hosts of every table of every gateway, and which of them have unreported changes. */
export class GatewayHosts {
  /** By gateway, then by table id. */
  readonly #tables = new Map<string, Map<string, OpenTable>>();
  readonly #touched = new Map<string, { readonly gateway: string; readonly table: string }>();

  /** Opens and closes tables, and returns those whose listeners changed. */
  setTables(gateway: string, shapes: ReadonlyMap<string, TableShape>, state: SnapshotState): void {
    const tables = this.#tables.get(gateway) ?? new Map<string, OpenTable>();
    this.#tables.set(gateway, tables);
    for (const id of [...tables.keys()].filter((open) => !shapes.has(open))) {
      tables.delete(id);
      state.setTable(gateway, id, undefined);
    }
    for (const shape of shapes.values()) {
      const signature = signatureOf(shape);
      const open = tables.get(shape.id);
      state.setTable(gateway, shape.id, shape);
      if (open?.signature === signature) {
        open.hosts.follow(shape);
        continue;
      }
      open?.hosts.reshape(shape);
      tables.set(shape.id, { signature, hosts: open?.hosts ?? new VirtualHosts(shape) });
      this.#touch(gateway, shape.id);
    }
  }

  drop(gateway: string): void {
    this.#tables.delete(gateway);
  }

  /** Replaces what one route contributes. */
  replace(before: readonly Contribution[], after: readonly Contribution[]): void {
    const kept = new Set(after.map(placeOf));
    for (const contribution of before) {
      if (!kept.has(placeOf(contribution))) this.#hostsOf(contribution)?.remove(contribution);
    }
    for (const contribution of after) this.#hostsOf(contribution)?.put(contribution);
  }

  /** Brings the snapshot up to date with every touched host. */
  *flush(state: SnapshotState): Steps<void> {
    for (const [place, { gateway, table }] of this.#touched) {
      const changes = this.#tables.get(gateway)?.get(table)?.hosts.takeChanges() ?? [];
      yield* each(changes, (change) => state.setHost(gateway, table, change));
      this.#touched.delete(place);
    }
  }

  #hostsOf({ gateway, table }: Contribution): VirtualHosts | undefined {
    const open = this.#tables.get(gateway)?.get(table);
    if (open) this.#touch(gateway, table);
    return open?.hosts;
  }

  #touch(gateway: string, table: string): void {
    this.#touched.set(`${gateway} ${table}`, { gateway, table });
  }
}

/** All of the port that a table depends on: owners of hosts that none of its listeners covers do not matter to it. */
const signatureOf = ({ own, misdirected }: TableShape): string =>
  JSON.stringify([own.map(({ place, hostname, preRoutingAuth }) => [place, hostname, preRoutingAuth]), misdirected]);
