import type { z } from 'zod';
import { parseObjectKey } from '../../gateway-api/index.ts';
import type * as ir from '../../ir/index.ts';
import { isOpen, onlyHttpPort, type TestRequest } from '../../offline/route-test/index.ts';
import { inTurns, type Steps } from '../../std/steps/index.ts';
import { HttpError } from '../http/index.ts';
import { type Endpoints, question } from '../resource/endpoint.ts';
import { bodyErrors, parseBody, readObject } from '../resource/read-body.ts';
import { getSnapshot } from '../snapshot/index.ts';
import type { AdminSources } from '../sources.ts';
import { askStanding } from '../traffic/standing.ts';
import { type RouteTestRecord, type RouteTestResult, routeTest as record, routeTestRequest } from './record.ts';
import { type RouteTestQuestion, routeTestRecord, type TestedRoute } from './route-test-record.ts';
import { withAccess } from './with-access.ts';
import { withPicks } from './with-picks.ts';
import { withTroubles } from './with-troubles.ts';

type Body = z.infer<typeof routeTestRequest>;

/** `POST /v1/route-test`: what happens to a request, and why. */
export const routeTest: Endpoints<AdminSources> = {
  endpoints: [
    question({
      path: '/v1/route-test',
      summary: 'What happens to a request, and why; changes nothing, and the read-only token may ask',
      isTagged: true,
      body: routeTestRequest,
      answer: record,
      errors: [...bodyErrors, 'gateway_not_found', 'not_ready'],
      handle: async ({ ctx }, sources: AdminSources) => {
        const body = parseBody(routeTestRequest, await readObject(ctx), 'body_malformed');
        const tested = await Promise.all(
          (await inTurns(answers(sources, body))).map((each) => withAccess(sources.graph, each)),
        );
        return withPicks(withTroubles(bestOf(tested), await askStanding(sources)), sources);
      },
    }),
  ],
};

/** What each Gateway that is asked does with the request. */
function* answers(sources: AdminSources, body: Body): Steps<TestedRoute[]> {
  const snapshot = getSnapshot(sources);
  const port = body.port ?? (body.scheme === 'https' ? 443 : 80);
  const request = requestOf(body);
  const { from, certificate } = body;
  const asker = { from, certificate, now: sources.now(), passwords: sources.passwords };
  const tested: TestedRoute[] = [];
  for (const gateway of gatewaysFor(sources, snapshot, body.gateway, port)) {
    const question = { gateway, port: portAt(gateway, port, body), request, asker };
    tested.push(yield* recordOf(sources, snapshot, question, port));
  }
  return tested;
}

/** Of the Gateways that are asked, the one that does most for the request; what the others would do is named beside it. */
function bestOf(records: readonly RouteTestResult[]): RouteTestRecord {
  const [best, ...others] = records.toSorted((a, b) => ranking.indexOf(a.outcome) - ranking.indexOf(b.outcome));
  if (!best) throw new HttpError('gateway_not_found', 'there is no Gateway of our classes in the snapshot');
  return { ...best, alsoAt: others.map(({ gateway, outcome, status }) => ({ gateway, outcome, status })) };
}

/** Without a port in the question, the Gateway's only port for the scheme, or for HTTP at all, when the port of the scheme is not open. */
function portAt(gateway: ir.Fleet, port: number, { host, port: asked, scheme }: Body): number {
  if (asked !== undefined || /:\d+$/.test(host) || isOpen(gateway, port)) return port;
  return onlyHttpPort(gateway, scheme === 'https') ?? port;
}

function* recordOf(
  sources: AdminSources,
  snapshot: ir.Snapshot,
  question: RouteTestQuestion,
  port: number,
): Steps<TestedRoute> {
  const tested = yield* routeTestRecord(sources, snapshot, question);
  if (question.port === port) return tested;
  const { record } = tested;
  const hint = `Gateway ${question.gateway.key} has no listener at port ${port}; this is what its only HTTP port, ${question.port}, does`;
  return { ...tested, record: { ...record, hints: [hint, ...record.hints] } };
}

const ranking: readonly RouteTestRecord['outcome'][] = [
  'forward',
  'redirect',
  'respond',
  'denied',
  'no_route',
  'misdirected',
  'no_host',
  'refused',
];

/** Those that listen at the port, where there are any. */
function gatewaysFor(
  { graph }: AdminSources,
  { gateways }: ir.Snapshot,
  name: string | undefined,
  port: number,
): ir.Fleet[] {
  const all = [...gateways.values()];
  const asked = name === undefined ? all : all.filter(({ key }) => isNamed(name, [key, ...graph.gatewaysOf(key)]));
  if (name !== undefined && asked.length === 0)
    throw new HttpError('gateway_not_found', `there is no Gateway ${name} of our classes in the snapshot`);
  const open = asked.filter((gateway) => isOpen(gateway, port));
  return open.length > 0 ? open : asked;
}

const isNamed = (name: string, keys: readonly string[]): boolean =>
  keys.some((key) => key === name || parseObjectKey(key).name === name);

const requestOf = ({ host, path, method, headers, serverName, token, from }: Body): TestRequest => ({
  method,
  host,
  path,
  headers: [
    ...Object.entries(headers).flatMap(([name, values]) =>
      [values].flat().map((value) => [name.toLowerCase(), value] as const),
    ),
    ...(token === undefined ? [] : [['authorization', `Bearer ${token}`] as const]),
  ],
  ...(serverName !== undefined && { serverName }),
  ...(from !== undefined && { from }),
});
