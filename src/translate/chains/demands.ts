import { createHash } from 'node:crypto';
import * as ir from '../../ir/index.ts';
import type { ChainDemand } from '../resource/index.ts';

type Named = Pick<ChainDemand, 'digest' | 'place'>;

const textOf = (text: string, length: number): string =>
  createHash('sha256').update(text).digest('hex').slice(0, length);

/** By the demand, which is the same object as long as nothing changes it. */
const contents = new WeakMap<ir.TableAccess, string>();

/** What it asks for, without who asks for it and of whom. */
function contentOf(demand: ir.TableAccess): string {
  const before = contents.get(demand);
  if (before !== undefined) return before;
  const { source, hostnames, ...content } = demand;
  const digest = ir.formatDigest(ir.digestOf(content));
  contents.set(demand, digest);
  return digest;
}

/** What a table demands, each level and each group of listeners by itself, in the order of `access.demands`. */
export function demandsOf(access: ir.TableGuards | undefined): readonly ChainDemand[] {
  if (!access) return [];
  const { hostnames: all = [] } = access;
  const everyHost = textOf(all.join(' '), 16);
  return access.demands.map((demand) => {
    const { hostnames } = demand;
    const hosts = hostnames?.join(' ') ?? '';
    // A wider hostname is for what no other listener is for.
    const others = hostnames?.some((host) => host.startsWith('*')) ? everyHost : '';
    return {
      digest: textOf([contentOf(demand), hosts, others].join('|'), 16),
      place: textOf([demand.level, ...partsOf(demand), hosts].join('|'), 8),
      guards: { demands: [demand], ...(hostnames && { hostnames: all }) },
    };
  });
}

/** Each with how it may be overridden: a route that switches one off does not switch the other off. */
const partsOf = (demand: ir.TableAccess): readonly string[] =>
  ir.accessParts
    .filter((part) => demand[part] !== undefined || demand.closed?.includes(part))
    .map((part) => `${part}${ir.canGoOff(part, demand) ? '' : '!'}`);

/** A demand of which nothing is known but that a client has it: while that matters, it lets no request in (503). */
const unknownDemand = ({ digest, place }: Named): ChainDemand => ({
  digest,
  place,
  guards: {
    demands: [
      { level: 'gateway', source: '', overridable: [], closed: ['authorization'], unavailable: ['authorization'] },
    ],
  },
});

/** A version that says what the chain demands: `HASH-PLACEDIGEST.PLACEDIGEST…`, HASH alone where it demands nothing. */
export function versionWith(hash: string, demands: Iterable<Named>): string {
  const names = [...demands].map(({ place, digest }) => `${place}${digest}`);
  return names.length > 0 ? `${hash}-${names.join('.')}` : hash;
}

/** What the chain demands of which a client has this version. */
export function demandsNamedIn(version: string): readonly Named[] {
  const [, names] = /^[0-9a-f]{16}-([0-9a-f]{24}(?:\.[0-9a-f]{24})*)$/.exec(version) ?? [];
  return names?.split('.').map((name) => ({ place: name.slice(0, 8), digest: name.slice(8) })) ?? [];
}

/** See ChainSlots.demandsIn. */
export function demandsIn(
  version: string,
  own: ReadonlyMap<string, ChainDemand>,
  find: (digest: string) => ChainDemand | undefined,
): ReadonlyMap<string, ChainDemand> {
  const places = new Set([...own.values()].map(({ place }) => place));
  const demands = demandsNamedIn(version).flatMap((named) => {
    const known = own.get(named.digest) ?? find(named.digest);
    return known ?? (places.has(named.place) ? [] : unknownDemand(named));
  });
  return new Map(demands.map((demand) => [demand.digest, demand]));
}
