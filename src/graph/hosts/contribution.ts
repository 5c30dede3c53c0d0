import { compareSpecificity } from '../../gateway-api/index.ts';
import * as ir from '../../ir/index.ts';
import { compareMatches, compareText, type RankedRoute } from '../model/index.ts';

/** The matches that one route puts on one host of one table. */
export interface Contribution {
  /** `KIND/NAMESPACE/NAME` of the route. */
  readonly source: string;
  /** ir.Gateway.key of the proxies. */
  readonly gateway: string;
  readonly table: string;
  /** ResolvedListener.place of the listener it came through. */
  readonly listener: string;
  /** The intersection of the listener's and the route's hostname. */
  readonly host: string;
  /** The route's own hostname; `*` when it has none. Decides between routes with the same intersection. */
  readonly original: string;
  /** Creation time of the route; the older one goes first. */
  readonly created: string;
  readonly routes: readonly RankedRoute[];
}

/** One match with its place in the order of its virtual host. */
export interface Placed {
  readonly contribution: Contribution;
  readonly index: number;
  readonly ranked: RankedRoute;
}

/** Negative when `a` is tried before `b` on a host that both are for. Total: no two matches are equal. Source: HTTPRoute.spec.hostnames and rules[].matches, on precedence. */
export function comparePlaced(a: Placed, b: Placed): number {
  const one = a.contribution;
  const other = b.contribution;
  return (
    compareSpecificity(one.host, other.host) ||
    compareSpecificity(one.original, other.original) ||
    compareMatches(a.ranked.rank, b.ranked.rank) ||
    compareText(one.created, other.created) ||
    compareText(one.source, other.source) ||
    a.index - b.index ||
    compareText(one.listener, other.listener)
  );
}

/** The contribution's matches, sorted. */
export const placedOf = (contribution: Contribution): Placed[] =>
  contribution.routes.map((ranked, index) => ({ contribution, index, ranked })).sort(comparePlaced);

/** Covers all that decides what the match does and where it stands, so that sums of these name a whole virtual host. */
export const digestOfPlaced = ({ contribution, index, ranked }: Placed): ir.Digest =>
  ir.digestOfText(
    [
      ir.formatDigest(ir.digestOf(ranked.route)),
      contribution.host,
      contribution.original,
      contribution.created,
      contribution.source,
      index,
    ].join(' '),
  );

export const contributionKey = ({ source, listener, host, original }: Contribution): string =>
  `${source} ${listener} ${host} ${original}`;

/** Whether one takes the other's place on its host: contributionKey, without making any. */
export const sameKey = (a: Contribution, b: Contribution): boolean =>
  a.source === b.source && a.listener === b.listener && a.host === b.host && a.original === b.original;

/** Identifies what one route contributes anywhere. */
export const placeOf = (contribution: Contribution): string =>
  `${contribution.gateway} ${contribution.table} ${contributionKey(contribution)}`;

/** Whether replacing one by the other changes nothing. */
export const sameContribution = (a: Contribution, b: Contribution): boolean =>
  a.created === b.created &&
  a.routes.length === b.routes.length &&
  a.routes.every((ranked, i) => sameRoute(ranked, b.routes[i] as RankedRoute));

const sameRoute = (a: RankedRoute, b: RankedRoute): boolean =>
  a.route === b.route || ir.digestOf(a.route) === ir.digestOf(b.route);
