import * as ir from '../../ir/index.ts';
import { allListeners, type ResolvedFleet } from '../model/index.ts';

/** What a set of proxies was to open at some time: all of it, and of each Gateway's. */
interface Version {
  readonly digest: ir.Digest;
  /** By Gateway. */
  readonly members: ReadonlyMap<string, ir.Digest>;
}

/** How many versions proxies may be behind and still be understood. */
const remembered = 32;

interface Progress {
  /** The newest last. */
  versions: readonly Version[];
  /** What the proxies have applied, as far as they said; undefined: nothing yet. */
  applied: Version | undefined;
  /** What a proxy applied last that is not among the versions: another replica may have built it before this one. */
  early?: ir.Digest;
}

/**
 * The listeners that each Gateway's proxies have applied. Proxies report on all that they serve. A Gateway that shares them is
 * judged by its own listeners, so that changes of another Gateway do not affect it.
 */
export class Acknowledgements {
  /** By ResolvedFleet.key. */
  readonly #progress = new Map<string, Progress>();

  /** The proxies are to open this from now on. `digest`: ir.Gateway.listenersDigest. */
  setDesired(fleet: ResolvedFleet, listeners: ReadonlyMap<string, ir.Listener>, digest: ir.Digest): void {
    const progress = this.#of(fleet.key);
    const newest = progress.versions.at(-1);
    if (newest?.digest === digest && [...fleet.members.keys()].every((key) => newest.members.has(key))) return;
    const others = progress.versions.filter((version) => version.digest !== digest).slice(1 - remembered);
    progress.versions = [...others, { digest, members: digestsOf(fleet, listeners, digest) }];
    if (progress.applied?.digest === digest || progress.early === digest) progress.applied = progress.versions.at(-1);
    if (progress.early === digest) delete progress.early;
  }

  /**
   * A proxy has applied this much. Whether that is news; one that is late takes nothing from what another one has applied. What is not known yet is remembered:
   * proxies report each digest once, and to other replicas possibly before this one builds it.
   */
  applied(fleet: string, digest: ir.Digest): boolean {
    const progress = this.#of(fleet);
    const { versions, applied } = progress;
    if (applied?.digest === digest) return false;
    const place = versions.findIndex((version) => version.digest === digest);
    if (place < 0) progress.early = digest;
    if (applied && applied.digest === versions.at(-1)?.digest) return false;
    if (applied && place >= 0 && place < versions.indexOf(applied)) return false;
    progress.applied = versions[place] ?? { digest, members: new Map() };
    return true;
  }

  /** Whether a proxy has applied the Gateway's listeners as they are now; undefined: none has said anything since we started. */
  has(fleet: string, gateway: string): boolean | undefined {
    const { versions, applied } = this.#of(fleet);
    if (!applied) return undefined;
    const desired = versions.at(-1)?.members.get(gateway);
    return desired !== undefined && applied.members.get(gateway) === desired;
  }

  /** By fleet, the digest that was applied last. */
  *list(): Generator<readonly [fleet: string, digest: ir.Digest]> {
    for (const [fleet, { applied }] of this.#progress) if (applied) yield [fleet, applied.digest];
  }

  drop(fleet: string): void {
    this.#progress.delete(fleet);
  }

  #of(fleet: string): Progress {
    const known = this.#progress.get(fleet) ?? { versions: [], applied: undefined };
    this.#progress.set(fleet, known);
    return known;
  }
}

function digestsOf(
  { members, gatewayClass }: ResolvedFleet,
  listeners: ReadonlyMap<string, ir.Listener>,
  digest: ir.Digest,
): ReadonlyMap<string, ir.Digest> {
  if (!gatewayClass) return new Map([...members.keys()].map((key) => [key, digest]));
  const chains = [...listeners.values()].flatMap(({ chains: all, ...port }) =>
    all.map((chain) => ({ table: chain.table, text: JSON.stringify([port, chain]) })),
  );
  const byTable = Map.groupBy(chains, ({ table: name }) => name);
  return new Map(
    [...members].map(([key, member]) => {
      const texts = allListeners(member).flatMap(({ table = '' }) =>
        (byTable.get(table) ?? []).map(({ text }) => text),
      );
      return [key, ir.digestOfText([...new Set(texts)].join('\n'))];
    }),
  );
}
