import * as ir from '../../ir/index.ts';
import type { Steps } from '../../std/steps/index.ts';
import { type CountedUse, type StreamShape, terminatesTls } from '../model/index.ts';
import type { SnapshotState } from './snapshot-state.ts';
import { certificatesOf } from './stream-certificates.ts';
import { compareStreams, type StreamContribution, streamPlace } from './stream-contribution.ts';
import { type AddressDemand, addressDemand, sourcesOf } from './stream-sources.ts';

interface OpenTable {
  /** The listener's own host: closed, not absent, while no route is for it. */
  readonly own: string;
  /** By host, then by streamPlace. */
  readonly hosts: Map<string, Map<string, StreamContribution>>;
  /** What is demanded of clients of all hosts. */
  levels: readonly ir.ListenerAccess[];
  /** TLS ends at the listener, and clients may show certificates. */
  asksForCertificates: boolean;
  /** After which silent connections are closed. */
  idleMs: number | undefined;
}

interface Place {
  readonly gateway: string;
  readonly table: string;
  readonly host: string;
}

/** The stream tables of every gateway, and which of their hosts have unreported changes. A change costs the touched hosts. */
export class GatewayStreams {
  /** By gateway, then by table id. */
  readonly #tables = new Map<string, Map<string, OpenTable>>();
  readonly #touched = new Map<string, Place>();
  /** What is served at a place, as far as takeUses has reported it. */
  readonly #served = new Map<string, StreamContribution>();

  /**
   * Opens and closes tables. One whose listener has another hostname now starts again: the caller resolves the gateway's
   * routes again in the same pass, since the same change decides where they attach.
   */
  setTables(gateway: string, shapes: ReadonlyMap<string, StreamShape>): void {
    const tables = this.#tables.get(gateway) ?? new Map<string, OpenTable>();
    this.#tables.set(gateway, tables);
    for (const [id, { own, hosts }] of tables) {
      if (shapes.get(id)?.own.hostname === own) continue;
      tables.delete(id);
      for (const host of [own, ...hosts.keys()]) this.#touch({ gateway, table: id, host });
    }
    for (const { id, own, levels = [], idleMs } of shapes.values()) {
      const open = tables.get(id);
      const asksForCertificates = terminatesTls(own.spec) && own.clients !== undefined;
      const settings = { levels, asksForCertificates, idleMs };
      if (open && isAsBefore(open, settings)) continue;
      if (open) Object.assign(open, settings);
      else tables.set(id, { own: own.hostname, hosts: new Map(), ...settings });
      for (const host of [own.hostname, ...(open?.hosts.keys() ?? [])]) this.#touch({ gateway, table: id, host });
    }
  }

  drop(gateway: string): void {
    for (const [table, { own, hosts }] of this.#tables.get(gateway) ?? [])
      for (const host of [own, ...hosts.keys()]) this.#touch({ gateway, table, host });
    this.#tables.delete(gateway);
  }

  /** Replaces what one route contributes. */
  replace(before: readonly StreamContribution[], after: readonly StreamContribution[]): void {
    for (const contribution of before) {
      const hosts = this.#find(contribution)?.hosts;
      const members = hosts?.get(contribution.host);
      members?.delete(streamPlace(contribution));
      if (members?.size === 0) hosts?.delete(contribution.host);
      this.#touch(contribution);
    }
    for (const contribution of after) {
      const hosts = this.#find(contribution)?.hosts;
      const members = hosts?.get(contribution.host) ?? new Map<string, StreamContribution>();
      hosts?.set(contribution.host, members.set(streamPlace(contribution), contribution));
      this.#touch(contribution);
    }
  }

  /**
   * Backends that connections go to since the last call, or do not any more. Of several routes for one host one is
   * served; the backends of the others are not in use.
   */
  *takeUses(): Generator<CountedUse> {
    for (const [place, { gateway: fleet, table, host }] of this.#touched) {
      const [before, after] = [this.#served.get(place), this.#winner(fleet, table, host)];
      if (before === after) continue;
      if (after) this.#served.set(place, after);
      else this.#served.delete(place);
      for (const [contribution, by] of [[after, 1] as const, [before, -1] as const]) {
        for (const { backend } of contribution?.shares ?? [])
          if (contribution && backend !== undefined) yield { gateway: contribution.parent, fleet, backend, by };
      }
    }
  }

  /** Brings the snapshot up to date with every touched host. */
  *flush(state: SnapshotState): Steps<void> {
    for (const [place, { gateway, table, host }] of this.#touched) {
      // What was dropped may still be served for a while as it is.
      if (this.#tables.has(gateway)) state.setStream(gateway, table, host, this.#hostOf(gateway, table, host));
      this.#touched.delete(place);
      yield;
    }
  }

  #hostOf(gateway: string, table: string, host: string): ir.StreamHost | undefined {
    const open = this.#tables.get(gateway)?.get(table);
    const served = this.#winner(gateway, table, host);
    const demands = demandsOn(open?.levels ?? [], served?.access);
    const certificates = certificatesOf(served?.access);
    const isClosed = certificates === 'closed' || (certificates && !open?.asksForCertificates);
    if (isClosed || demands.includes('closed')) return { host, ...(served && { source: served.source }), shares: [] };
    const sources = table.startsWith('udp/') ? undefined : sourcesOf(demands as readonly ir.ClientIPs[]);
    const { source, shares } = served ?? {};
    if (source !== undefined && shares) {
      const demanded = { ...(sources && { sources }), ...(certificates && { certificates }) };
      return { host, source, shares, ...demanded, ...(open?.idleMs !== undefined && { idleMs: open.idleMs }) };
    }
    return open?.own === host ? { host, shares: [] } : undefined;
  }

  #winner(gateway: string, table: string, host: string): StreamContribution | undefined {
    const members = this.#tables.get(gateway)?.get(table)?.hosts.get(host)?.values() ?? [];
    return [...members].sort(compareStreams)[0];
  }

  #find({ gateway, table }: Place): OpenTable | undefined {
    return this.#tables.get(gateway)?.get(table);
  }

  #touch({ gateway, table, host }: Place): void {
    this.#touched.set(`${gateway} ${table} ${host}`, { gateway, table, host });
  }
}

type TableSettings = Pick<OpenTable, 'levels' | 'asksForCertificates' | 'idleMs'>;

const isAsBefore = (open: TableSettings, { levels, asksForCertificates, idleMs }: TableSettings): boolean =>
  isLike(open.levels, levels) && open.asksForCertificates === asksForCertificates && open.idleMs === idleMs;

const isLike = (one: readonly ir.ListenerAccess[], other: readonly ir.ListenerAccess[]): boolean =>
  one === other || ir.digestOf(one) === ir.digestOf(other);

/** What every level demands of a client, but for what the route switches off. */
function demandsOn(
  levels: readonly ir.ListenerAccess[],
  { route, rule, overrides = [] }: ir.RouteAccess = {},
): readonly AddressDemand[] {
  const upper = levels.filter(
    ({ overridable }) => !(overrides.includes('clientIPs') && overridable.includes('clientIPs')),
  );
  return [...upper, route, rule].flatMap((access) => (access && addressDemand(access)) ?? []);
}
