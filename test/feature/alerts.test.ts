import http from 'node:http';
import test from 'ava';
import { closeServer, portOf } from '../../scripts/example/echo-server.ts';
import { startPrometheus } from '../support/prometheus.ts';
import { alerts } from '../support/promql.ts';
import { request } from '../support/request.ts';
import { untilFits } from '../support/until.ts';

// Alerts about requests, worked out by a real Prometheus from series that rise with each scrape: what fires for one route, and stays silent for another.

const route = (name: string) =>
  `gateway="default/edge",route_kind="HTTPRoute",route_namespace="shop",route_name="${name}",rule="0"`;

/** Requests by route and class: what each scrape adds. */
const classes = [
  ['healthy', '2xx', 300],
  ['healthy', '5xx', 1],
  ['rare', '5xx', 0.1],
  ['failing', '2xx', 80],
  ['failing', '5xx', 20],
] as const;
const flags = [
  ['empty', 'UH', 3],
  ['refused', 'UF', 3],
  ['healthy', 'UC', 3],
] as const;
/** Requests that took no longer than 1 s, and than a minute. */
const times = [
  ['healthy', 300, 300],
  ['slow', 90, 100],
] as const;

const exposition = (scrapes: number): string =>
  [
    '# TYPE gatewright_http_requests_total counter',
    ...classes.map(
      ([name, code, each]) => `gatewright_http_requests_total{${route(name)},code_class="${code}"} ${each * scrapes}`,
    ),
    '# TYPE gatewright_http_request_flags_total counter',
    ...flags.map(
      ([name, flag, each]) => `gatewright_http_request_flags_total{${route(name)},flag="${flag}"} ${each * scrapes}`,
    ),
    '# TYPE gatewright_http_request_duration_seconds histogram',
    ...times.flatMap(([name, soon, late]) =>
      [
        ['1', soon],
        ['60', late],
        ['+Inf', late],
      ].map(
        ([bound, each]) =>
          `gatewright_http_request_duration_seconds_bucket{${route(name)},le="${bound}"} ${Number(each) * scrapes}`,
      ),
    ),
    '',
  ].join('\n');

const firesFor: Readonly<Record<string, readonly string[]>> = {
  GatewrightRequestsFailing: ['failing'],
  GatewrightRequestsSlow: ['slow'],
  GatewrightRouteWithoutEndpoints: ['empty'],
  GatewrightBackendUnreachable: ['refused'],
};

interface Answer {
  readonly data: { readonly result: readonly { readonly metric: { readonly route_name: string } }[] };
}

test('alerts about requests fire for routes that fail, and for no other', async (t) => {
  t.timeout(600_000);
  let scrapes = 0;
  const server = http.createServer((_request, response) => {
    response.setHeader('content-type', 'text/plain; version=0.0.4').end(exposition(++scrapes));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  t.teardown(() => closeServer(server));
  const target = { job: 'gatewright', port: portOf(server), path: '/metrics' };
  const prometheus = await startPrometheus(t, { targets: [target] });
  const firing = async (alert: string): Promise<readonly string[]> => {
    const { expr = '' } = alerts().find((each) => each.alert === alert) ?? {};
    const answer = await request(`${prometheus.url}/api/v1/query?query=${encodeURIComponent(expr)}`);
    const { data } = (await answer.json()) as Answer;
    return data.result.map(({ metric }) => metric.route_name).sort();
  };
  // A rate needs two scrapes of a route.
  for (const [alert, routes] of Object.entries(firesFor))
    t.deepEqual(
      await untilFits(
        alert,
        () => firing(alert),
        (found) => found.length >= routes.length,
      ),
      routes,
      alert,
    );
});
