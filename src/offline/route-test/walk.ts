import { wildcardsAbove } from '../../gateway-api/index.ts';
import * as ir from '../../ir/index.ts';
import type { Steps } from '../../std/steps/index.ts';
import { mismatch } from './mismatch.ts';
import type { SeenRequest } from './request.ts';

/** One match of one route that stands on a host the request was looked up by. */
export interface Candidate {
  readonly route: ir.Route;
  /** Of the virtual host. */
  readonly host: string;
  /** Why it does not hold; undefined: it does. */
  readonly mismatch?: string;
}

/** How a request goes through a table. */
export interface Walk {
  /** Virtual hosts that were looked at, in order. */
  readonly hosts: readonly ir.VirtualHost[];
  /** In the order in which they are tried. All before `winner` do not hold; those behind it were not asked. */
  readonly candidates: readonly Candidate[];
  readonly winner?: Candidate;
  /** The last host belongs to another listener of the port. */
  readonly misdirected: boolean;
}

/**
 * The host by its own name, then (if its rules do not resolve it) by the longest suffix of the fallback hosts, then, for
 * HTTPS, among the hosts of the port's other listeners. See ir.RouteTable. A step for each match: a host may have thousands, each with an expression that
 * takes its time on a long path.
 */
export function* walk(tables: ir.Fleet['tables'], tableId: string, request: SeenRequest): Steps<Walk> {
  const table = tables.get(tableId);
  const hosts = table ? hostsIn(table, request.host) : [];
  if (hosts.length === 0) {
    const others = tables.get(ir.sharedTable(tableId) ?? '');
    hosts.push(...(others ? hostsIn(others, request.host) : []));
  }
  const candidates: Candidate[] = [];
  for (const { host, routes } of hosts) {
    for (const route of routes) {
      candidates.push(candidate(host, route, request));
      yield;
    }
  }
  const winner = candidates.find((each) => each.mismatch === undefined);
  return { hosts, candidates, ...(winner && { winner }), misdirected: hosts.at(-1)?.misdirected ?? false };
}

function hostsIn({ exact, fallback }: ir.RouteTable, host: string): ir.VirtualHost[] {
  const own = exact.get(host);
  if (own && !own.fallThrough) return [own];
  const wider = [host, ...wildcardsAbove(host)]
    .map((name) => fallback.get(name))
    .find((virtualHost) => virtualHost !== undefined);
  return [...(own ? [own] : []), ...(wider ? [wider] : [])];
}

function candidate(host: string, route: ir.Route, request: SeenRequest): Candidate {
  const why = mismatch(route.match, request);
  return { route, host, ...(why !== undefined && { mismatch: why }) };
}
