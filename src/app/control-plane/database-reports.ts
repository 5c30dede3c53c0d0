import { isDeepStrictEqual } from 'node:util';
import type { DatabaseTrouble } from '../../graph/index.ts';
import type { NodeRef, NodeView } from '../../xds/index.ts';

export interface DatabaseReportsOptions {
  /** The data planes of all replicas. */
  readonly find: (node: NodeRef) => NodeView | undefined;
  /** What proxies of a fleet cannot use has changed. */
  readonly onChange: (fleet: string, troubles: readonly DatabaseTrouble[]) => void;
}

type Faults = NodeView['databaseFaults'];

/**
 * Databases that proxies cannot use, by fleet. One proxy is enough, since its clients are denied. What a lost proxy said last counts as long as it is
 * listed: it may still serve, and a control plane that starts again writes no status twice.
 */
export class DatabaseReports {
  readonly #options: DatabaseReportsOptions;
  /** By fleet, of nodes that have any. */
  readonly #byFleet = new Map<string, Map<string, Faults>>();

  constructor(options: DatabaseReportsOptions) {
    this.#options = options;
  }

  /** Something about the node may have changed. */
  look({ nodeId, cluster }: NodeRef): void {
    const after = this.#options.find({ nodeId, cluster })?.databaseFaults ?? [];
    const fleet = this.#byFleet.get(cluster) ?? new Map<string, Faults>();
    if (isDeepStrictEqual(fleet.get(nodeId) ?? [], after)) return;
    if (after.length > 0) fleet.set(nodeId, after);
    else fleet.delete(nodeId);
    if (fleet.size > 0) this.#byFleet.set(cluster, fleet);
    else this.#byFleet.delete(cluster);
    this.#options.onChange(cluster, troublesOf(fleet));
  }
}

/** One of each database, in the words of the first node by its id: all replicas say the same. */
function troublesOf(fleet: ReadonlyMap<string, Faults>): DatabaseTrouble[] {
  const found = new Map<string, DatabaseTrouble>();
  for (const [nodeId, faults] of [...fleet].sort(([a], [b]) => (a < b ? -1 : 1)))
    for (const fault of faults) {
      const first = found.get(fault.database) ?? { ...fault, nodeId, proxies: 0 };
      found.set(fault.database, { ...first, proxies: first.proxies + 1 });
    }
  return [...found.values()];
}
