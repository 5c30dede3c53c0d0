import type { Clock } from '../../std/queue/index.ts';
import type { Logger } from '../../telemetry/index.ts';
import type { NodeRef, NodeView } from '../../xds/index.ts';
import { Agreement } from './agreement.ts';
import type { Message } from './message.ts';
import { Remote } from './remote.ts';
import { outranks, type ReplicaNodes } from './replica-nodes.ts';
import type { ReplicaTiming } from './timing.ts';

/** What is to be done about what other replicas report. Called synchronously, one message after the other. */
export interface ReplicaHooks {
  /** A data plane of another replica changed, or is shown in another way; `after` is undefined when it is listed no more. */
  nodeChanged(before: NodeView | undefined, after: NodeView | undefined): void;
  /** A data plane of another replica has applied listeners with this digest. */
  applied(gateway: string, listeners: bigint): void;
  /** The data plane has connected to another replica, later than to this one. */
  giveUp(node: NodeRef, replica: string): void;
  /** A data plane may be another one for all replicas together. */
  looked(node: NodeRef): void;
  /** Whether a data plane of a replica that is away will not be back: its Gateway or its pod does not exist any more. */
  isGone(node: NodeView): boolean;
  /** An operator wants the data plane to be sent once more what it rejected. */
  offerAgain(node: NodeRef): void;
  /** There may be failed requests to ask another replica for. */
  requestsFailed(): void;
  /** Another replica asks for requests of buckets that this one may keep. */
  limitsAsked(replica: string, message: Extract<Message, { readonly type: 'limit-takes' }>): void;
  /** Another replica answers such a question. */
  limitsGranted(replica: string, message: Extract<Message, { readonly type: 'limit-grants' }>): void;
  /** A replica cannot be asked any more. */
  parted(replica: string): void;
  /** After each message. */
  taken(): void;
}

/** What other replicas say of budgets. */
export type BudgetMessage = Extract<Message, { readonly type: 'budget-ask' | 'budget-answer' | 'budget-news' }>;

/** Who keeps budgets: a part that not every control plane has. */
export interface BudgetFollower {
  said(replica: string, message: BudgetMessage): void;
  /** A replica has joined, or is back. */
  met(replica: string): void;
  /** A replica cannot be asked any more. */
  parted(replica: string): void;
}

export interface MergedNodeListOptions {
  readonly nodes: ReplicaNodes;
  readonly hooks: ReplicaHooks;
  /** Undefined: none is kept here. */
  readonly budgets: () => BudgetFollower | undefined;
  readonly logger: Logger;
  readonly timing: Pick<ReplicaTiming, 'graceMs' | 'keepMs' | 'disagreeMs'>;
  readonly clock: Clock;
  readonly now: () => Date;
}

const dayMs = 24 * 3_600_000;

/** All other replicas that were heard of, by what they reported; those that went away stay for a while. */
export class MergedNodeList {
  readonly #options: MergedNodeListOptions;
  /** Of replicas that are not connected, by identity: takes back what is to happen next. */
  readonly #waits = new Map<string, () => void>();
  readonly agreement: Agreement;
  /** When replicas went that are not back, by identity, for a day: with each went what it alone kept in memory. */
  readonly gone = new Map<string, Date>();
  /** The data planes of all replicas. */
  readonly nodes: ReplicaNodes;

  constructor(options: MergedNodeListOptions) {
    const { nodes, timing, clock } = options;
    this.#options = options;
    this.agreement = new Agreement(timing.disagreeMs, clock);
    this.nodes = nodes;
  }

  list(): readonly Remote[] {
    return [...this.nodes.remotes.byIdentity.values()];
  }

  /** Something came from the replica. */
  heard(identity: string): void {
    const remote = this.nodes.remotes.byIdentity.get(identity);
    if (remote !== undefined) remote.lastHeardAt = this.#options.now();
  }

  /** The replica sent a message, by a connection to an address. */
  take(connection: object, address: string, identity: string, message: Message): void {
    const remote = this.nodes.remotes.byIdentity.get(identity) ?? new Remote(identity, address, this.#options.now());
    this.nodes.remotes.byIdentity.set(identity, remote);
    this.#handleMessage(remote, connection, address, message);
    this.#options.hooks.taken();
  }

  /** A connection to the replica ended. */
  parted(connection: object, identity: string, reason: string): void {
    const remote = this.nodes.remotes.byIdentity.get(identity);
    if (!remote?.parted(connection)) return;
    this.#options.hooks.parted(identity);
    this.#options.budgets()?.parted(identity);
    if (remote.state === 'left') return;
    const { clock, timing } = this.#options;
    this.agreement.forget(identity);
    this.#waits.set(
      identity,
      clock.after(timing.graceMs, () => this.#giveUp(remote, reason)),
    );
  }

  /** Data planes of replicas that are away may be gone: these cannot report it. */
  forgetGone(): void {
    for (const remote of this.list()) if (remote.state !== 'connected') this.#forgetGone(remote);
  }

  #forgetGone(remote: Remote): void {
    for (const node of [...remote.nodes.values()]) if (this.#options.hooks.isGone(node)) this.#forgetNode(remote, node);
  }

  /** Nothing is to happen any more. */
  stop(): void {
    for (const cancel of this.#waits.values()) cancel();
    this.#waits.clear();
  }

  #handleMessage(remote: Remote, connection: object, address: string, message: Message): void {
    const { hooks } = this.#options;
    switch (message.type) {
      case 'hello':
        this.#joined(remote, connection, address);
        remote.keepsLimits = message.keepsLimits;
        remote.keepsBudgets = message.keepsBudgets;
        this.#setSnapshot(remote, message.snapshot);
        return;
      case 'snapshot':
        this.#setSnapshot(remote, message.snapshot);
        return;
      case 'node':
        this.#takeNode(remote, message.node, message.listeners);
        return;
      case 'forgotten':
        this.#forgotten(remote, message);
        return;
      case 'offer-again':
        hooks.offerAgain(message);
        return;
      case 'requests-failed':
        hooks.requestsFailed();
        return;
      case 'limit-takes':
        hooks.limitsAsked(remote.identity, message);
        return;
      case 'limit-grants':
        hooks.limitsGranted(remote.identity, message);
        return;
      case 'budget-ask':
      case 'budget-answer':
      case 'budget-news':
        this.#options.budgets()?.said(remote.identity, message);
        return;
      case 'synced':
        this.#options.budgets()?.met(remote.identity);
        this.#synced(remote, connection);
        // What failed while it was not connected.
        hooks.requestsFailed();
        return;
      case 'bye':
        this.#left(remote);
    }
  }

  #left(remote: Remote): void {
    const { identity: replica, address } = remote;
    this.#options.logger.info({ replica, address }, 'replica left');
    this.agreement.forget(replica);
    remote.left();
    this.#noteGone(replica, this.#options.now());
    this.#forgetGone(remote);
    for (const node of remote.nodes.values()) this.#options.hooks.looked(node);
    this.#keep(remote);
  }

  #joined(remote: Remote, connection: object, address: string): void {
    const { logger, now } = this.#options;
    this.#waits.get(remote.identity)?.();
    this.#waits.delete(remote.identity);
    this.gone.delete(remote.identity);
    remote.joined(connection, address);
    remote.lastHeardAt = now();
    logger.info({ replica: remote.identity, address }, 'replica joined');
    // A process that was started again has a new identity: the one before it will not come back.
    for (const former of this.nodes.remotes.byIdentity.values()) {
      if (former.address === address && former.state === 'lost') this.#giveUp(former, 'another process took its place');
    }
  }

  #setSnapshot(remote: Remote, id: string | null): void {
    remote.snapshot = id ?? undefined;
    this.agreement.set(remote.identity, remote.snapshot);
  }

  #takeNode(remote: Remote, node: NodeView, listeners: string | undefined): void {
    const { hooks } = this.#options;
    const { local, remotes } = this.nodes;
    if (remote.isFull(node)) return;
    const before = remote.setNode(node);
    const ours = local.find(node.nodeId, node.cluster);
    if (ours !== undefined && node.connected && outranks(node, remote.identity, ours, remotes.identity))
      hooks.giveUp(node, remote.identity);
    const isNews = !before?.connected || before.lastAckVersion !== node.lastAckVersion;
    if (node.connected && listeners !== undefined && isNews) hooks.applied(node.gateway, BigInt(`0x${listeners}`));
    const shown = this.nodes.find(node.nodeId, node.cluster);
    if (shown?.replica === remote.identity) hooks.nodeChanged(before && remote.show(before), shown);
    hooks.looked(node);
  }

  /** A replica of a version before this one names no fleet: it has one node of an id at most. */
  #forgotten(remote: Remote, { nodeId, cluster }: { readonly nodeId: string; readonly cluster?: string | undefined }) {
    if (cluster !== undefined) this.#forgetNode(remote, { nodeId, cluster });
    else for (const node of [...remote.nodes.values()]) if (node.nodeId === nodeId) this.#forgetNode(remote, node);
  }

  /** A data plane that moved is listed by the replica that it moved to. */
  #forgetNode(remote: Remote, node: NodeRef): void {
    const before = remote.forgetNode(node);
    const after = this.nodes.find(node.nodeId, node.cluster);
    if (before !== undefined && after === undefined) this.#options.hooks.nodeChanged(remote.show(before), undefined);
    this.#options.hooks.looked(node);
  }

  #synced(remote: Remote, connection: object): void {
    for (const node of remote.synced(connection)) this.#forgetNode(remote, node);
  }

  #giveUp(remote: Remote, reason: string): void {
    const { logger } = this.#options;
    const { identity: replica, address } = remote;
    this.#waits.get(replica)?.();
    const before = [...remote.nodes.values()].map((node) => remote.show(node));
    remote.giveUp();
    logger.warn({ replica, address, reason }, 'replica is away: its data planes are shown as disconnected');
    for (const shown of before) this.#reshow(remote, shown);
    this.#forgetGone(remote);
    this.#keep(remote);
  }

  #reshow(remote: Remote, before: NodeView): void {
    const shown = this.nodes.find(before.nodeId, before.cluster);
    if (shown?.replica === remote.identity) this.#options.hooks.nodeChanged(before, shown);
    this.#options.hooks.looked(before);
  }

  /** Its data planes stay listed for a while. */
  #keep(remote: Remote): void {
    const { clock, timing, hooks } = this.#options;
    const cancel = clock.after(timing.keepMs, () => {
      this.#waits.delete(remote.identity);
      for (const node of [...remote.nodes.values()]) this.#forgetNode(remote, node);
      this.nodes.remotes.byIdentity.delete(remote.identity);
      if (remote.state !== 'left') this.#noteGone(remote.identity, remote.lastHeardAt);
      hooks.taken();
    });
    this.#waits.set(remote.identity, cancel);
  }

  #noteGone(identity: string, at: Date): void {
    const dayBefore = this.#options.now().getTime() - dayMs;
    for (const [each, then] of this.gone) if (then.getTime() < dayBefore) this.gone.delete(each);
    this.gone.set(identity, at);
  }
}
