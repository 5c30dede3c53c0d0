import type { Refusal } from '../../graph/index.ts';
import type { Clock } from '../../std/queue/index.ts';
import type { NodeRef, NodeView } from '../../xds/index.ts';
import { refusalKey } from './refusal-key.ts';

export interface ElectorateOptions {
  /** The data planes of all replicas. */
  readonly find: (node: NodeRef) => NodeView | undefined;
  /** All voters of the fleet refuse it. */
  readonly hold: (refusal: Refusal) => void;
  /** One of them has it. */
  readonly release: (refusal: Refusal) => void;
  readonly clock: Clock;
  /** For how long what is held stays so when the last voter has left, who may be back in a moment. */
  readonly graceMs: number;
}

interface Ballot {
  /** It has applied a snapshot on its stream: what it does not refuse it has. */
  readonly ready: boolean;
  /** By refusalKey. */
  readonly refuses: ReadonlyMap<string, Refusal>;
}

interface Fleet {
  /** By node id. */
  readonly voters: Map<string, Ballot>;
  readonly held: Map<string, Refusal>;
  cancelGrace: (() => void) | undefined;
}

/**
 * What all proxies of a fleet refuse, worked out from those that are connected now, at whichever replica, and nothing else: all
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
    if (first.refuses.size + fleet.held.size === 0) return;
    const voters = [...fleet.voters.values()];
    for (const [content, refusal] of first.refuses)
      if (!fleet.held.has(content) && voters.every(({ refuses }) => refuses.has(content))) {
        fleet.held.set(content, refusal);
        this.#options.hold(refusal);
      }
    for (const [content, refusal] of [...fleet.held])
      if (voters.some(({ ready, refuses }) => ready && !refuses.has(content))) {
        fleet.held.delete(content);
        this.#options.release(refusal);
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
      for (const refusal of fleet.held.values()) this.#options.release(refusal);
    });
  }
}

function ballotOf({ ready, cluster, refusals }: NodeView): Ballot {
  const refuses = refusals.map(({ kind, key, digest, message }): Refusal => {
    return { kind, gateway: cluster, key, digest, message };
  });
  return { ready, refuses: new Map(refuses.map((refusal) => [refusalKey(refusal), refusal])) };
}

const isSame = (a: Ballot | undefined, b: Ballot | undefined): boolean =>
  a === undefined || b === undefined
    ? a === b
    : a.ready === b.ready &&
      a.refuses.size === b.refuses.size &&
      [...a.refuses.keys()].every((key) => b.refuses.has(key));
