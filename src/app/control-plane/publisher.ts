import { Map as ImmutableMap } from 'immutable';
import type { BuildResult, Rejection, StatusChange } from '../../graph/index.ts';
import * as ir from '../../ir/index.ts';
import type { Steps } from '../../std/steps/index.ts';
import type { EncodingFault, GatewayChange, Translator } from '../../translate/index.ts';
import type { XdsServer } from '../../xds/index.ts';

/** How many published snapshots are remembered, for nodes that say later which one they have applied. */
const remembered = 512;

type Digests = ImmutableMap<string, ir.Digest>;

export interface PublisherOptions {
  readonly translator: Translator;
  readonly xds: XdsServer;
  /** May go on in steps. */
  readonly onStatuses: (changes: readonly StatusChange[]) => Steps<void>;
  readonly onResolved: (resolved: BuildResult['resolved']) => void;
  /** Something could not be encoded, and was left out of what was published; a route is left out of the next snapshot, too. */
  readonly onRejected: (rejection: Rejection) => void;
  /** It can be encoded now, or is gone. Never of a route. */
  readonly onEncoded: (rejection: Rejection) => void;
}

/**
 * Takes each build to all consumers: proxies first, then statuses, so that no status reports what
 * was not published. What could not be published (a bug of ours) is kept and goes out with the next build.
 */
export class Publisher {
  readonly #options: PublisherOptions;
  /** What of each snapshot proxies acknowledge: ir.Gateway.listenersDigest of every gateway. Not the snapshot, which keeps all of its routes. */
  readonly #snapshots = new Map<string, Digests>();
  #digests: Digests = ImmutableMap();
  #unpublished: ir.Change[] = [];
  #unwritten: StatusChange[] = [];
  /** What the translator says of the snapshot that was published last. */
  #faults: ReadonlyMap<string, Rejection> = new Map();

  constructor(options: PublisherOptions) {
    this.#options = options;
  }

  /**
   * In steps: what takes long is before the publication, which is one step together with everything that has to be known when
   * its first answers come, or after it. The next build is to be published when this one is over.
   */
  *publish({ snapshot, changes, statuses, resolved }: BuildResult): Steps<void> {
    const { translator, xds, onStatuses, onResolved } = this.#options;
    this.#unpublished = this.#unpublished.length > 0 ? [...this.#unpublished, ...changes] : [...changes];
    this.#unwritten = [...this.#unwritten, ...statuses];
    onResolved(resolved);
    const all = this.#unpublished;
    const touched = new Set(all.map(({ gateway }) => gateway));
    const isNew = all.length > 0 || this.#snapshots.size === 0;
    if (isNew) {
      const { id, generatedAt, counts } = snapshot;
      const translated = yield* translator.translating(snapshot, all);
      xds.publish({
        marker: {
          id,
          generatedAt,
          gateways: counts.gateways,
          listeners: counts.listeners,
          routes: counts.routes,
          backends: counts.backends,
        },
        changes: translated,
        digests: digestsOf(snapshot, touched),
      });
      this.#reportUnencodable(translated);
      this.#reportFaults();
    }
    this.#unpublished = [];
    this.#remember(snapshot, touched);
    if (isNew) xds.push();
    const written = this.#unwritten;
    this.#unwritten = [];
    yield* onStatuses(written);
  }

  #reportUnencodable(changes: readonly GatewayChange[]): void {
    for (const { gateway, upserts } of changes) {
      const faults = upserts.flatMap(({ provenance }) => provenance?.unencodable?.() ?? []);
      for (const fault of faults) this.#options.onRejected(rejectionOf({ ...fault, gateway }));
    }
  }

  #reportFaults(): void {
    const before = this.#faults;
    const faults = [...this.#options.translator.faults];
    if (before.size + faults.length === 0) return;
    this.#faults = new Map(faults.map((fault) => [contentOf(fault), rejectionOf(fault)]));
    for (const [content, rejection] of before) {
      if (!this.#faults.has(content) && rejection.kind !== 'route') this.#options.onEncoded(rejection);
    }
    for (const [content, rejection] of this.#faults) if (!before.has(content)) this.#options.onRejected(rejection);
  }

  /** ir.Gateway.listenersDigest as it was in a published snapshot, if that is still remembered. */
  listenersIn(snapshotId: string, gateway: string): ir.Digest | undefined {
    return this.#snapshots.get(snapshotId)?.get(gateway);
  }

  #remember({ id, gateways }: ir.Snapshot, touched: ReadonlySet<string>): void {
    for (const key of touched) {
      const digest = gateways.get(key)?.listenersDigest;
      this.#digests = digest === undefined ? this.#digests.delete(key) : this.#digests.set(key, digest);
    }
    this.#snapshots.delete(id);
    this.#snapshots.set(id, this.#digests);
    if (this.#snapshots.size <= remembered) return;
    const [oldest] = this.#snapshots.keys();
    if (oldest !== undefined) this.#snapshots.delete(oldest);
  }
}

/** The same wherever it is met. */
const contentOf = ({ gateway, origin }: EncodingFault): string =>
  `${gateway} ${origin.kind} ${origin.key} ${origin.digest}`;

const rejectionOf = ({ gateway, origin, message }: EncodingFault): Rejection => ({
  ...origin,
  gateway,
  message,
  isUnencodable: true,
});

function digestsOf(snapshot: ir.Snapshot, touched: ReadonlySet<string>): Map<string, string> {
  const digests = [...touched].flatMap((key) => {
    const gateway = snapshot.gateways.get(key);
    return gateway ? [[key, ir.formatDigest(gateway.digest)] as const] : [];
  });
  return new Map(digests);
}
