import { anyHost, wildcardsAbove } from '../../gateway-api/index.ts';
import * as ir from '../../ir/index.ts';
import { ReverseIndex } from '../engine/index.ts';
import { ownerOf, type TableShape } from '../model/index.ts';
import { type Contribution, digestOfPlaced, sameContribution } from './contribution.ts';
import { Members } from './members.ts';
import { RankedList } from './ranked-list.ts';

export type Scope = 'exact' | 'fallback';

/** A virtual host that is new, different or (without `after`) gone. */
export interface HostChange {
  readonly scope: Scope;
  readonly host: string;
  readonly after?: ir.VirtualHost;
}

interface HostState {
  readonly placed: RankedList;
  digest: ir.Digest;
}

/**
 * The virtual hosts of one ir.RouteTable, kept up to date by what routes contribute. A change costs what the touched
 * hosts hold; other hosts of the table are not looked at.
 */
export class VirtualHosts {
  #shape: TableShape;
  /** Hosts that have a virtual host without any route, and whether they are answered 421: the listeners' own are not. */
  #base: ReadonlyMap<string, boolean>;
  readonly #states = new Map<string, HostState>();
  /** By host. */
  readonly #contributions = new Map<string, Members>();
  readonly #wildcards = new Set<string>();
  /** From each of these to the wildcards that cover it, there or not. */
  readonly #wider = new ReverseIndex();
  readonly #dirty = new Set<string>();

  constructor(shape: TableShape) {
    this.#shape = shape;
    this.#base = baseHostsOf(shape);
    for (const host of this.#base.keys()) {
      if (host.startsWith(anyHost)) this.#addWildcard(host);
      this.#dirty.add(host);
    }
  }

  /**
   * The listeners of the table are others now; what routes contributed stays, and it is for the caller to resolve those
   * again that attach differently. Costs the listeners, and the wildcard hosts when the listeners' wildcards changed,
   * since these decide which wildcard has the routes of which.
   */
  reshape(shape: TableShape): void {
    const before = this.#base;
    const guards = guardsOf(this.#shape);
    this.#shape = shape;
    this.#base = baseHostsOf(shape);
    const guarded = guardsOf(shape);
    const otherwise = new Set(
      [...guards.keys(), ...guarded.keys()].filter((place) => guards.get(place) !== guarded.get(place)),
    );
    if (otherwise.size > 0) this.#touchHostsOf(otherwise);
    const changed = [...new Set([...before.keys(), ...this.#base.keys()])].filter(
      (host) => before.get(host) !== this.#base.get(host),
    );
    for (const host of changed) this.#dirty.add(host);
    if (changed.some((host) => host.startsWith(anyHost))) this.#replaceWildcards();
  }

  /** The same for what makes no difference to its hosts: but what the listeners were before need not be kept. */
  follow(shape: TableShape): void {
    this.#shape = shape;
  }

  put(contribution: Contribution): void {
    const members = this.#contributions.get(contribution.host) ?? new Members();
    const before = members.held(contribution);
    if (before && sameContribution(before, contribution)) return;
    if (before) this.#unplace(before);
    if (!this.#contributions.has(contribution.host)) this.#open(contribution.host, members);
    members.set(contribution);
    this.#place(contribution);
  }

  remove(contribution: Contribution): void {
    const members = this.#contributions.get(contribution.host);
    const held = members?.held(contribution);
    if (!members || !held) return;
    members.delete(held);
    this.#unplace(held);
    if (members.size === 0) this.#close(contribution.host);
  }

  /** The hosts that changed and were not taken yet, in sorted order. What is not taken of them stays. */
  *takeChanges(): Generator<HostChange> {
    for (const host of [...this.#dirty].sort()) {
      yield* this.#changesOf(host);
      this.#dirty.delete(host);
    }
  }

  #open(host: string, members: Members): void {
    this.#contributions.set(host, members);
    if (!host.startsWith(anyHost) || this.#wildcards.has(host)) return;
    this.#addWildcard(host);
    const inherited = wildcardsAbove(host).filter((wide) => this.#inherits(host, wide));
    for (const wide of inherited) {
      for (const contribution of this.#contributions.get(wide)?.values() ?? []) this.#insert(host, contribution);
    }
  }

  #close(host: string): void {
    this.#contributions.delete(host);
    if (this.#base.has(host)) return;
    this.#dropWildcard(host);
    this.#states.delete(host);
  }

  #addWildcard(host: string): void {
    this.#wildcards.add(host);
    this.#wider.set(host, wildcardsAbove(host));
  }

  #dropWildcard(host: string): void {
    this.#wildcards.delete(host);
    this.#wider.set(host, []);
  }

  /** A listener's external authorization stands on each of its hosts. */
  #touchHostsOf(listeners: ReadonlySet<string>): void {
    for (const host of [...this.#contributions.keys(), ...this.#base.keys()]) {
      if (listeners.has(ownerOf(this.#shape, host)?.place ?? '')) this.#dirty.add(host);
    }
  }

  #replaceWildcards(): void {
    const contributed = [...this.#contributions.keys()].filter((host) => host.startsWith(anyHost));
    const own = [...this.#base.keys()].filter((host) => host.startsWith(anyHost));
    for (const host of this.#wildcards) {
      this.#states.delete(host);
      this.#dirty.add(host);
      this.#dropWildcard(host);
    }
    for (const host of [...contributed, ...own]) this.#addWildcard(host);
    for (const host of contributed) {
      for (const contribution of this.#contributions.get(host)?.values() ?? []) this.#place(contribution);
    }
  }

  #place(contribution: Contribution): void {
    for (const host of this.#hostsOf(contribution)) this.#insert(host, contribution);
  }

  #unplace(contribution: Contribution): void {
    for (const host of this.#hostsOf(contribution)) {
      const state = this.#states.get(host);
      if (!state) continue;
      for (const placed of state.placed.remove(contribution))
        state.digest = ir.removeDigest(state.digest, digestOfPlaced(placed));
      this.#dirty.add(host);
    }
  }

  /** A wildcard's routes also count for the narrower wildcards of the same listener; exact hosts reach them by falling through. */
  #hostsOf({ host }: Contribution): string[] {
    if (!host.startsWith(anyHost)) return [host];
    return [host, ...[...this.#wider.sourcesOf(host)].filter((narrow) => this.#inherits(narrow, host))];
  }

  /** Whether a wildcard has the routes of one that covers it. */
  #inherits(narrow: string, wide: string): boolean {
    return ownerOf(this.#shape, narrow) === ownerOf(this.#shape, wide);
  }

  #insert(host: string, contribution: Contribution): void {
    const state = this.#states.get(host) ?? { placed: new RankedList(), digest: ir.emptyDigest };
    for (const placed of state.placed.insert(contribution))
      state.digest = ir.addDigest(state.digest, digestOfPlaced(placed));
    this.#states.set(host, state);
    this.#dirty.add(host);
  }

  /** One scope of the two has the host, if any; what the other had before a listener changed is gone. */
  #changesOf(host: string): HostChange[] {
    const misdirected = this.#base.get(host) ?? false;
    const scope: Scope = host.startsWith(anyHost) || misdirected ? 'fallback' : 'exact';
    const isPresent = this.#contributions.has(host) || this.#base.has(host);
    const after = isPresent ? this.#virtualHost(host, misdirected, scope) : undefined;
    return [
      { scope: scope === 'exact' ? 'fallback' : 'exact', host },
      { scope, host, after },
    ];
  }

  #virtualHost(host: string, misdirected: boolean, scope: Scope): ir.VirtualHost {
    const state = this.#states.get(host);
    const fallThrough = scope === 'exact' && ownerOf(this.#shape, host)?.hostname !== host;
    const preRoutingAuth = misdirected ? undefined : ownerOf(this.#shape, host)?.preRoutingAuth;
    const routes = state?.placed.routes() ?? [];
    const made = { host, routes, fallThrough, misdirected, ...(preRoutingAuth && { preRoutingAuth }) };
    const traits = ir.digestOfText(
      `${host} ${fallThrough} ${misdirected}${preRoutingAuth ? JSON.stringify(preRoutingAuth) : ''}`,
    );
    ir.rememberDigest(made, ir.addDigest(state?.digest ?? ir.emptyDigest, traits));
    return made;
  }
}

/** By listener's place: its external authorization, where it has one. */
const guardsOf = ({ own }: TableShape): Map<string, string> =>
  new Map(
    own.flatMap(({ place, preRoutingAuth = [] }) =>
      preRoutingAuth.length > 0 ? [[place, JSON.stringify(preRoutingAuth)] as const] : [],
    ),
  );

const baseHostsOf = ({ own, misdirected }: TableShape): Map<string, boolean> =>
  new Map([
    ...misdirected.map((host): [string, boolean] => [host, true]),
    ...own.map(({ hostname }): [string, boolean] => [hostname, false]),
  ]);
