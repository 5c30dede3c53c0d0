import type { Rejection } from '../../graph/index.ts';
import type { Clock } from '../../std/queue/index.ts';
import type { NodeRef, NodeView } from '../../xds/index.ts';
import { rejectionKey } from './rejection-key.ts';

export interface ElectorateOptions {
  /** The data planes of all replicas. */
  readonly find: (node: NodeRef) => NodeView | undefined;
  /** All voters of the fleet reject it. */
  readonly hold: (rejection: Rejection) => void;
  /** One of them has it. */
  readonly release: (rejection: Rejection) => void;
  readonly clock: Clock;
  /** For how long what is held stays so when the last voter has left, who may be back in a moment. */
  readonly graceMs: number;
}

interface Ballot {
  /** It has applied a snapshot on its stream: what it does not reject it has. */
  readonly ready: boolean;
  /** By rejectionKey. */
  readonly rejects: ReadonlyMap<string, Rejection>;
}

interface Fleet {
  /** By node id. */
  readonly voters: Map<string, Ballot>;
  readonly held: Map<string, Rejection>;
  cancelGrace: (() => void) | undefined;
}

/**
 * What all proxies of a fleet reject, worked out from those that are connected now, at whichever replica, and nothing else: all
 * replicas come to the same, and nothing is handed on. Only Envoys of our release vote (NodeView.votes). Until a voter that has just
 * come has applied something, what was held stays held.
 */
export class Electorate {
  readonly #options: ElectorateOptions;
  readonly #fleets = new Map<string, Fleet>();

  constructor(options: ElectorateOptions) {
    this.#options = options;
  }

  /** Something about the node may have changed. */
  look({ nodeId, cluster }: NodeRef): void {
    const view = this.#options.find({ nodeId, cluster });
    const after = view?.connected && view.votes ? ballotOf(view) : undefined;
    const fleet = this.#fleets.get(cluster) ?? { voters: new Map(), held: new Map(), cancelGrace: undefined };
    if (isSame(fleet.voters.get(nodeId), after)) return;
    if (after) fleet.voters.set(nodeId, after);
    else fleet.voters.delete(nodeId);
    this.#fleets.set(cluster, fleet);
    this.#judge(cluster, fleet);
  }

  stop(): void {
    for (const { cancelGrace } of this.#fleets.values()) cancelGrace?.();
    this.#fleets.clear();
  }

  #judge(key: string, fleet: Fleet): void {
    const [first] = fleet.voters.values();
    if (!first) {
      this.#wait(key, fleet);
      return;
    }
    fleet.cancelGrace?.();
    fleet.cancelGrace = undefined;
    if (first.rejects.size + fleet.held.size === 0) return;
    const voters = [...fleet.voters.values()];
    for (const [content, rejection] of first.rejects)
      if (!fleet.held.has(content) && voters.every(({ rejects }) => rejects.has(content))) {
        fleet.held.set(content, rejection);
        this.#options.hold(rejection);
      }
    for (const [content, rejection] of [...fleet.held])
      if (voters.some(({ ready, rejects }) => ready && !rejects.has(content))) {
        fleet.held.delete(content);
        this.#options.release(rejection);
      }
  }

  #wait(key: string, fleet: Fleet): void {
    const { clock, graceMs } = this.#options;
    if (fleet.held.size === 0) {
      this.#fleets.delete(key);
      return;
    }
    fleet.cancelGrace ??= clock.after(graceMs, () => {
      this.#fleets.delete(key);
      for (const rejection of fleet.held.values()) this.#options.release(rejection);
    });
  }
}

function ballotOf(node: NodeView): Ballot {
  const { ready, cluster } = node;
  const rejects = [...node.refusals, ...node.trials].map(({ kind, key, digest, message, trial }): Rejection => {
    return { kind, gateway: cluster, key, digest, message, ...(trial && { trial }) };
  });
  return { ready, rejects: new Map(rejects.map((rejection) => [rejectionKey(rejection), rejection])) };
}

const isSame = (a: Ballot | undefined, b: Ballot | undefined): boolean =>
  a === undefined || b === undefined
    ? a === b
    : a.ready === b.ready &&
      a.rejects.size === b.rejects.size &&
      [...a.rejects.keys()].every((key) => b.rejects.has(key));
