import { hostOf } from '../host-of.ts';
import type { TerminationReason } from '../metrics.ts';
import type { TrialQuestion } from '../session/trials.ts';
import { type Connection, NodeRecord } from './node-record.ts';
import { foremost, type NodeRef, type NodesView, type NodeView, nodeKey } from './node-view.ts';
import { PodNames } from './pod-names.ts';

/** A stream as the registry sees it. */
export interface Claimant {
  /** Another stream has taken over: `by` says whose. */
  supersede(by: string): void;
  /** The node is to be sent once more what it rejected. */
  offerAgain(): void;
  /** Has the node try something. False: it cannot. */
  ask(question: TrialQuestion): boolean;
}

interface Entry {
  readonly record: NodeRecord;
  owner: Claimant | undefined;
  /** Those that are lost with it: see NodeRegistryOptions.maxLost. */
  lost?: Set<string> | undefined;
  /** Its stream took the place of one from another host, whose node may be back: it cannot say goodbye for that one. */
  isContested: boolean;
}

/** How a stream of a node ended. */
export interface NodeEnd {
  readonly reason: TerminationReason;
  /** The node said that it leaves. */
  readonly goodbye: boolean;
}

export interface NodeRegistryOptions {
  /** How long a node stays listed after it was lost. Milliseconds. */
  readonly keepMs: number;
  readonly clock: () => Date;
  /** How many lost nodes of one fleet stay listed. */
  readonly maxLost: number;
  readonly isFleet: (cluster: string) => boolean;
  /** What other replicas know of a node. */
  readonly elsewhere: (node: NodeRef) => NodeView | undefined;
}

/**
 * All nodes by fleet and id, with the one active stream of each. A node whose stream ended is *lost*, and stays listed for `keepMs`, so that a
 * reader sees that it is missing and why. It is *gone*, and listed no more, when it said goodbye, or when its Gateway or pod does not exist.
 */
export class NodeRegistry implements NodesView {
  /** By nodeKey. */
  readonly #entries = new Map<string, Entry>();
  readonly #options: NodeRegistryOptions;
  /** Keys of those that are lost, the oldest first, by fleet. */
  readonly #lost = new Map<string, Set<string>>();
  readonly #pods = new PodNames();
  #excess: NodeView[] = [];

  constructor(options: NodeRegistryOptions) {
    this.#options = options;
  }

  list(): readonly NodeView[] {
    return [...this.#entries.values()].map(({ record }) => record.view);
  }

  find(nodeId: string, cluster?: string): NodeView | undefined {
    if (cluster === undefined) return foremost(this.list().filter((node) => node.nodeId === nodeId));
    return this.#entries.get(nodeKey({ nodeId, cluster }))?.record.view;
  }

  /** The node's active stream, if it has one here. */
  ownerOf(node: NodeRef): Claimant | undefined {
    return this.#entries.get(nodeKey(node))?.owner;
  }

  /** Makes the stream the node's active one. `superseded` is the stream that was, to be ended by the caller. */
  claim(connection: Connection, owner: Claimant): { readonly record: NodeRecord; readonly superseded?: Claimant } {
    const key = nodeKey(connection.identity);
    const known = this.#entries.get(key);
    const elsewhere = this.#options.elsewhere(connection.identity);
    const now = this.#after(elsewhere);
    const rival = known?.owner === undefined ? elsewhere : known.record.view;
    const isContested = rival?.connected === true && hostOf(rival.peer) !== hostOf(connection.peer);
    const superseded = known?.owner;
    const record = known?.record ?? new NodeRecord(connection, now, elsewhere);
    if (known !== undefined) {
      this.#isBack(key, known);
      record.connected(connection, now);
    }
    if (this.#pods.has(connection.identity)) record.isPod();
    this.#entries.set(key, { record, owner, isContested });
    return { record, ...(superseded && { superseded }) };
  }

  /** The stream has ended. Gives what the node is now; undefined when the stream is not the node's active one any more. */
  release(node: NodeRef, owner: Claimant, { reason, goodbye }: NodeEnd): 'lost' | 'gone' | undefined {
    const entry = this.#entries.get(nodeKey(node));
    if (entry?.owner !== owner) return undefined;
    entry.owner = undefined;
    entry.record.disconnected(reason, this.#options.clock());
    if ((goodbye && !entry.isContested) || this.isGone(entry.record.view)) {
      this.#drop(nodeKey(node));
      return 'gone';
    }
    this.#isLost(node, entry);
    return 'lost';
  }

  /** Whether the node, which has no stream, will not be back: its Gateway does not exist, or its pod does not exist any more. */
  isGone(node: Pick<NodeView, 'nodeId' | 'cluster' | 'isPod'>): boolean {
    return !this.#options.isFleet(node.cluster) || (node.isPod && this.#pods.lacks(node));
  }

  /** These pods run the fleet's proxies, which are called by their names; undefined: that is not known. Gives the nodes that are gone with that. */
  setPods(cluster: string, names: ReadonlySet<string> | undefined): readonly NodeView[] {
    const { added, removed } = this.#pods.set(cluster, names);
    for (const nodeId of added) this.#entries.get(nodeKey({ nodeId, cluster }))?.record.isPod();
    return removed.flatMap((nodeId) => this.#forgetLost(nodeKey({ nodeId, cluster })));
  }

  /** The fleet does not exist any more. Gives its nodes that are gone with that. */
  fleetGone(cluster: string): readonly NodeView[] {
    return [...(this.#lost.get(cluster) ?? [])].flatMap((key) => this.#forgetLost(key));
  }

  #forgetLost(key: string): NodeView[] {
    const entry = this.#entries.get(key);
    return entry !== undefined && entry.owner === undefined && this.isGone(entry.record.view) ? this.#drop(key) : [];
  }

  /** Nodes that are listed no more, since too many others were lost after them. Once. */
  takeExcess(): readonly NodeView[] {
    return this.#excess.splice(0);
  }

  #isLost(node: NodeRef, entry: Entry): void {
    const lost = this.#lost.get(node.cluster) ?? new Set();
    this.#lost.set(node.cluster, lost.add(nodeKey(node)));
    entry.lost = lost;
    if (lost.size > this.#options.maxLost) this.#excess.push(...this.#drop(this.#leastOf(lost)));
  }

  /** A client that makes up ids pushes out those first; then goes the oldest that is no pod, then the oldest. */
  #leastOf(lost: ReadonlySet<string>): string {
    const [oldest = ''] = lost;
    const views = [...lost].map((key) => ({ key, view: this.#entries.get(key)?.record.view }));
    const unproven = views.find(({ view }) => !view?.isPod && view?.lastAckVersion === undefined);
    return (unproven ?? views.find(({ view }) => !view?.isPod))?.key ?? oldest;
  }

  #drop(key: string): NodeView[] {
    const entry = this.#entries.get(key);
    if (entry === undefined) return [];
    this.#isBack(key, entry);
    this.#entries.delete(key);
    return [entry.record.view];
  }

  #isBack(key: string, entry: Entry): void {
    entry.lost?.delete(key);
    entry.lost = undefined;
  }

  /** Takes the node off the list, for it is on another replica's. Gives it as it was. */
  forget(node: NodeRef): NodeView | undefined {
    return this.#drop(nodeKey(node))[0];
  }

  /** Forgets the nodes that have been gone for long enough, and gives them. */
  prune(): readonly NodeView[] {
    const limit = this.#options.clock().getTime() - this.#options.keepMs;
    const gone = [...this.#entries.values()]
      .filter(({ owner }) => owner === undefined)
      .map(({ record }) => record.view);
    const old = gone.filter(({ disconnectedAt }) => disconnectedAt !== undefined && disconnectedAt.getTime() <= limit);
    for (const [cluster, lost] of this.#lost) if (lost.size === 0) this.#lost.delete(cluster);
    return old.flatMap((node) => this.#drop(nodeKey(node)));
  }

  // Clocks of replicas differ, and the node that connected last stays: later than what is known is later for all.
  #after(elsewhere: NodeView | undefined): Date {
    const now = this.#options.clock();
    if (elsewhere === undefined || elsewhere.connectedAt < now) return now;
    return new Date(elsewhere.connectedAt.getTime() + 1);
  }
}
