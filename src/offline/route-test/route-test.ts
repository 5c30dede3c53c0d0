import type * as ir from '../../ir/index.ts';
import { type Steps, toEnd } from '../../std/steps/index.ts';
import { clientScheme, type Scheme } from '../access/index.ts';
import { type Entrance, findEntrance } from './find-listener.ts';
import type { Rejected, SeenRequest, TestRequest } from './request.ts';
import { requestView } from './request-view.ts';
import { locationOf, rewrittenHost, rewrittenPath } from './rewrite.ts';
import { type Candidate, type Walk, walk } from './walk.ts';

/**
 * What happens to a request.
 * - `forward`: it goes to one of the backends of `winner`.
 * - `redirect`, `respond`: the winning rule answers it.
 * - `no_route`, `no_host`, `misdirected`: no rule takes it (404, 404, 421).
 * - `refused`: the proxy answers before it looks for a route, or (status 0) no HTTP comes about.
 */
export type Outcome = 'forward' | 'redirect' | 'respond' | 'no_route' | 'no_host' | 'misdirected' | 'refused';

export interface RouteTestResult {
  readonly outcome: Outcome;
  /** What the proxy itself answers; undefined: the backend does. 0: no answer. */
  readonly status?: number;
  /** In one sentence. */
  readonly reason: string;
  readonly entrance?: Entrance;
  readonly request?: SeenRequest;
  /** Undefined: it depends on the address of the connection, which is not known. */
  readonly scheme?: Scheme;
  readonly walk?: Walk;
  readonly winner?: Candidate;
  /** Of a redirect. */
  readonly location?: string;
  /** What the backend sees instead of the request's own. */
  readonly forwarded?: { readonly path: string; readonly host?: string };
}

/**
 * Says what the proxies of a Gateway do with a request, and what they looked at. Works on the snapshot that they were
 * sent, not on the objects it was made of. Costs what is on the request's host, in steps.
 */
export function* testingRoute(gateway: ir.Fleet, port: number, asked: TestRequest): Steps<RouteTestResult> {
  const entrance = findEntrance(gateway, port, asked);
  if ('reason' in entrance) return rejected(entrance);
  const request = requestView(asked, entrance.chain.client);
  if ('reason' in request) return { ...rejected(request), entrance };
  const { table, client, tls } = entrance.chain;
  const own = tls ? 'https' : 'http';
  const scheme = clientScheme(asked.from, request.header, client, own);
  const walked = yield* walk(gateway.tables, table, request);
  const seen = { entrance, request, walk: walked, ...(scheme && { scheme }) };
  const ending = walked.winner ? taken(walked.winner, request, scheme ?? own) : lost(walked, request, entrance);
  return { ...seen, ...ending };
}

/** The same at once. */
export const testRoute = (gateway: ir.Fleet, port: number, asked: TestRequest): RouteTestResult =>
  toEnd(testingRoute(gateway, port, asked));

const rejected = ({ status, reason, location }: Rejected): RouteTestResult => ({
  outcome: 'refused',
  status,
  reason,
  ...(location !== undefined && { location }),
});

type Ending = Pick<RouteTestResult, 'outcome' | 'status' | 'reason' | 'winner' | 'location' | 'forwarded'>;

function lost({ hosts, misdirected }: Walk, { host }: SeenRequest, { listener }: Entrance): Ending {
  if (misdirected) {
    const reason = `${host} belongs to another listener of ${listener.key} than the TLS name of the connection`;
    return { outcome: 'misdirected', status: 421, reason };
  }
  if (hosts.every(({ routes }) => routes.length === 0))
    return { outcome: 'no_host', status: 404, reason: `no route at ${listener.key} is for the host ${host}` };
  return { outcome: 'no_route', status: 404, reason: `no rule for the host ${host} matches the request` };
}

function taken(winner: Candidate, request: SeenRequest, requestScheme: Scheme): Ending {
  const { rule } = winner.route;
  const { action } = rule;
  switch (action.kind) {
    case 'respond':
      return { outcome: 'respond', status: action.status, reason: reasonOf(action), winner };
    case 'redirect': {
      const location = locationOf(action, request, { virtualHost: winner.host, requestScheme });
      return { outcome: 'redirect', status: action.statusCode, reason: 'the rule redirects', winner, location };
    }
    case 'forward': {
      const { rewrite } = rule;
      const rewritten = rewrittenPath(request.path, rewrite?.path);
      const path = rewritten ?? request.path;
      const host = rewrittenHost(request.path, rewrite);
      const forwarded = { path, ...(host !== undefined && { host }) };
      const unknown = rewritten === undefined ? '; what its expression makes of the path is for the proxy to say' : '';
      return { outcome: 'forward', reason: `the rule forwards to its backends${unknown}`, winner, forwarded };
    }
  }
}

const reasonOf = ({ answer }: ir.RespondAction): string =>
  answer ? 'the rule has the proxy answer' : 'the rule has no backend that can be used';
