import { loadConfig } from '../../../config/index.ts';
import { hostRules } from '../../../egress/index.ts';
import { type AskedRequest, type SeenAnswer, serviceBehind, type World } from '../../../ingress/index.ts';
import type * as ir from '../../../ir/index.ts';
import { preview } from '../../../offline/preview/index.ts';
import { isOpen, onlyPortWith, type RouteTestResult, testRoute } from '../../../offline/route-test/index.ts';
import { CliError } from '../../kit/cli-error.ts';
import type { CliIo } from '../../kit/io.ts';
import { readFiles } from '../../kit/read-files.ts';
import { withReferred } from './with-referred.ts';

/**
 * What proxies would do that had these files, beside what of the world they refer to. Rejects with a CliError for files that have no Gateway of ours.
 */
export async function askConverted(
  paths: readonly string[],
  world: World,
  io: CliIo,
): Promise<(request: AskedRequest) => SeenAnswer> {
  const { controllerName, translatorLimits: limits, backends } = loadConfig(undefined, io.env);
  const { events } = await readFiles(paths, io);
  const options = { controllerName, limits, hosts: hostRules(backends), now: new Date() };
  const { snapshot } = preview(withReferred(events, world), options);
  const fleets = [...snapshot.gateways.values()];
  if (fleets.length === 0) throw new CliError(`no Gateway of our classes in ${paths.join(', ')}`);
  return (request) => {
    const answers = fleets.flatMap((fleet) => {
      const port = portOf(fleet, request.scheme);
      if (port === undefined) return [];
      const answer = testRoute(fleet, port, testRequest(request));
      return [answer.location === undefined ? answer : { ...answer, location: withUsualPort(answer.location, fleet) }];
    });
    const [best] = answers.sort((a, b) => ranking.indexOf(a.outcome) - ranking.indexOf(b.outcome));
    return best
      ? seen(best, request, snapshot, world)
      : { status: 0, reason: `no Gateway has a port for ${request.scheme}`, headers: undefined, open: [] };
  };
}

const usualPorts = { http: 80, https: 443 } as const;

/** The usual port, else the one that the Gateway has for it in its place: `convert` takes both ports as options. */
function portOf(fleet: ir.Fleet, scheme: 'http' | 'https'): number | undefined {
  const usual = usualPorts[scheme];
  return isOpen(fleet, usual) ? usual : onlyPortWith(fleet, scheme === 'https');
}

/** Ports in place of the usual ones stand for these, as in a comparison of two addresses. */
const withUsualPort = (location: string, fleet: ir.Fleet): string =>
  location.replace(/^(https?):\/\/([^/?#]*):(\d+)(?=[/?#]|$)/, (whole, scheme: 'http' | 'https', host: string, port) =>
    Number(port) === portOf(fleet, scheme) ? `${scheme}://${host}` : whole,
  );

const testRequest = ({ method, host, target, headers }: AskedRequest) => ({ method, host, path: target, headers });

/** Of several Gateways the one that does most for a request. */
const ranking: readonly RouteTestResult['outcome'][] = [
  'forward',
  'redirect',
  'respond',
  'no_route',
  'misdirected',
  'no_host',
  'refused',
];

function seen(
  { outcome, status, reason, location, forwarded, winner, request }: RouteTestResult,
  asked: AskedRequest,
  { backends }: ir.Snapshot,
  world: World,
): SeenAnswer {
  const common = { reason, headers: undefined, open: [], ...(location !== undefined && { location }) };
  if (outcome !== 'forward' || !winner) return { ...common, status };
  const { rule } = winner.route;
  const preflight = rule.filters?.cors && isPreflight(asked);
  if (preflight) return { ...common, status: 200, reason: 'CORS answers preflights' };
  const shares = sharesOf(rule.action, backends, world);
  if (shares === undefined) return { ...common, status: 500, reason: 'a reference does not resolve' };
  const query = request?.query === undefined ? '' : `?${request.query}`;
  return {
    ...common,
    status: undefined,
    backends: shares,
    ...(forwarded && { target: `${forwarded.path}${query}` }),
    isGuarded: rule.filters?.access !== undefined || rule.filters?.externalAuth !== undefined,
  };
}

const isPreflight = ({ method, headers }: AskedRequest): boolean =>
  method === 'OPTIONS' &&
  ['origin', 'access-control-request-method'].every((wanted) => headers.some(([name]) => name === wanted));

/** Undefined: all of it goes to references that do not resolve. */
function sharesOf(
  action: ir.RouteAction,
  backends: ir.Snapshot['backends'],
  world: World,
): Record<string, number> | undefined {
  if (action.kind !== 'forward') return undefined;
  const total = action.backends.reduce((sum, { weight }) => sum + weight, 0);
  const shares: Record<string, number> = {};
  for (const { backend: key, weight } of action.backends) {
    const backend = key === undefined ? undefined : backends.get(key);
    if (!backend || weight === 0) continue;
    const name = `${backend.namespace}/${serviceBehind(world, backend.namespace, backend.service, backend.port)}:${backend.port}`;
    shares[name] = (shares[name] ?? 0) + weight / total;
  }
  return Object.keys(shares).length === 0 ? undefined : shares;
}
