import test from 'ava';
import { kindModules } from '../../../src/controllers/index.ts';
import { Graph } from '../../../src/graph/index.ts';
import { MetricSet } from '../../../src/telemetry/index.ts';
import { TrafficStore, trafficMetrics } from '../../../src/traffic/index.ts';
import { samplesOf } from '../../support/exposition.ts';
import { controllerName, gateway, gatewayClass, httpRoute } from '../../support/objects.ts';
import { counted, trafficReport, trafficRow } from '../../support/traffic.ts';
import { put, someTime } from '../../support/world.ts';

const bind = (_: unknown, port: number) => ({ address: '127.0.0.1', port });
const hour = 3_600_000;
const names = ['a', 'b', 'c'];

/** A store of three routes that counts two rules apart, by a clock that the test sets. */
function world() {
  const graph = new Graph({ controllerName, kinds: kindModules, bind });
  put(
    graph,
    gatewayClass(),
    gateway('edge'),
    ...names.map((name) => httpRoute(name, { parentRefs: [{ name: 'edge' }] })),
  );
  graph.build(someTime);
  const clock = { now: 1_800_000_000_000 };
  const store = new TrafficStore({ graph, now: () => clock.now, maxRouteRules: 2 });
  const metrics = new MetricSet();
  trafficMetrics(metrics).follow(store.routeCounts, () => clock.now);
  const report = (name: string, given: Parameters<typeof trafficRow>[1], cluster = 'default/edge') => {
    const rows = [trafficRow(`httproute/default/${name}/rule/0`, given)];
    store.take(
      { nodeId: 'n1', cluster },
      trafficReport({ cluster, now: clock.now, counted: counted(rows, clock.now) }),
    );
  };
  /** Requests by Gateway and route. */
  const requests = async () =>
    Object.fromEntries(
      samplesOf(await metrics.text())
        .filter(({ series }) => series === 'gatewright_http_requests_total')
        .map(({ labels, value }) => [`${labels.gateway} ${labels.route_name}`, value]),
    );
  return { clock, metrics, report, requests };
}

test('a rule without requests for an hour gives its place to another, and what is idle for a day is gone', async (t) => {
  const { clock, report, requests } = world();
  for (const name of names) report(name, { good: 1 });
  t.deepEqual(await requests(), { 'default/edge a': 1, 'default/edge b': 1, 'default/edge other': 1 });
  clock.now += hour;
  report('b', { good: 1 });
  report('c', { good: 5 });
  t.deepEqual(await requests(), { 'default/edge b': 2, 'default/edge c': 5, 'default/edge other': 1 });
  clock.now += 24 * hour;
  t.deepEqual(await requests(), {});
});

test('a proxy makes no series of its own: neither by names of flags, nor of routes, nor of Gateways', async (t) => {
  const { metrics, report, requests } = world();
  for (let at = 0; at < 50; at++) {
    report(`made-up-${at}`, { bad: 1, flag: `X${at}` });
    report(`made-up-${at}`, { bad: 1, flag: `X${at}` }, `made/up-${at}`);
  }
  t.deepEqual(await requests(), { 'default/edge unknown_route': 50, ' unknown_route': 50 });
  const flags = samplesOf(await metrics.text()).filter(
    ({ series }) => series === 'gatewright_http_request_flags_total',
  );
  t.deepEqual(
    flags.map(({ labels, value }) => [labels.gateway, labels.flag, value]),
    [
      ['default/edge', 'other', 50],
      ['', 'other', 50],
    ],
  );
});

test('buckets hold those that took less than their bound', async (t) => {
  const { metrics, report } = world();
  report('a', { good: 3, bad: 1 });
  const samples = samplesOf(await metrics.text());
  const of = (series: string) =>
    samples.filter((sample) => sample.series === `gatewright_http_request_duration_seconds_${series}`);
  t.deepEqual([...new Set(of('bucket').map(({ value }) => value))], [4]);
  t.is(of('bucket').length, 13);
  t.is(of('sum')[0]?.value, 0.003);
});
