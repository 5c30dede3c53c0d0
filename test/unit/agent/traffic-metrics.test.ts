import test from 'ava';
import { TrafficMetrics, trafficMetrics } from '../../../src/agent/admin/traffic-metrics.ts';
import { type Bin, readUsedStats, type UsedStats } from '../../../src/agent/envoy/used-stats.ts';
import { MetricSet } from '../../../src/telemetry/index.ts';

const failed = (cluster: string, count: number) => [`cluster.${cluster}.upstream_cx_connect_fail`, count] as const;

const took = (listener: string, ...bins: readonly Bin[]) => [`http.${listener}.downstream_rq_time`, bins] as const;

const bin = (lowerBound: number, count: number): Bin => ({ lowerBound, width: lowerBound < 1 ? 0 : 0.1, count });

/** Metrics of an Envoy that says one thing after the other; undefined: it does not answer. */
function metricsOf(...answers: readonly (Partial<UsedStats> | undefined)[]) {
  const left = [...answers];
  const set = new MetricSet();
  const usedStats = async () => {
    const answer = left.shift();
    if (!answer) throw new Error('no Envoy');
    return { values: new Map(), histograms: new Map(), ...answer };
  };
  const traffic = new TrafficMetrics({ usedStats }, trafficMetrics(set));
  return async () => {
    await traffic.look();
    const text = await set.text();
    return (series: string) =>
      Number(
        text
          .split('\n')
          .find((line) => line.startsWith(`${series} `))
          ?.split(' ')[1],
      );
  };
}

const failures = 'gatewright_gateway_dataplane_backend_connection_errors_total';
const duration = 'gatewright_gateway_dataplane_http_request_duration_seconds';

test('failed connections of all backends are one sum, without those within the proxy and to the agent', async (t) => {
  const values = new Map([
    failed('shop/web/80', 2),
    failed('shop/api/80', 3),
    failed('shop/chat/0/ai-route', 7),
    failed('gatewright_agent', 50),
  ]);
  const read = await metricsOf({ values })();
  t.is(read(failures), 5);
});

test('the sum does not fall when a backend or Envoy goes, nor while Envoy does not answer', async (t) => {
  const scrape = metricsOf(
    { values: new Map([failed('shop/web/80', 2), failed('shop/api/80', 3)]) },
    { values: new Map([failed('shop/web/80', 4)]) },
    undefined,
    { values: new Map([failed('shop/web/80', 1)]) },
    { values: new Map([failed('shop/web/80', 1), failed('shop/api/80', 1)]) },
  );
  const seen: number[] = [];
  for (let i = 0; i < 5; i++) seen.push((await scrape())(failures));
  t.deepEqual(seen, [5, 7, 7, 8, 9]);
});

test('two who ask at the same time get one look at Envoy', async (t) => {
  const scrape = metricsOf({ values: new Map([failed('shop/web/80', 2)]) });
  const both = await Promise.all([scrape(), scrape()]);
  t.deepEqual(
    both.map((read) => read(failures)),
    [2, 2],
  );
});

test('milliseconds of all listeners become one histogram of seconds, which does not fall either', async (t) => {
  const scrape = metricsOf(
    {
      histograms: new Map([
        took('http_80', bin(0, 2), bin(4, 1)),
        took('https_443', { lowerBound: 400_000, width: 10_000, count: 1 }),
        took('admin', bin(4, 9)),
        took('gatewright_ai_x', bin(4, 9)),
      ]),
    },
    { histograms: new Map([took('http_80', bin(0, 2), bin(4, 3))]) },
  );
  const first = await scrape();
  t.deepEqual(
    ['0.001', '0.0025', '0.005', '300', '+Inf'].map((le) => first(`${duration}_bucket{le="${le}"}`)),
    [2, 2, 3, 3, 4],
  );
  t.is(first(`${duration}_count`), 4);
  t.is(first(`${duration}_sum`), 405.00405);
  const second = await scrape();
  t.is(second(`${duration}_count`), 6);
  t.is(second(`${duration}_bucket{le="0.005"}`), 5);
});

test('what Envoy answers is read, texts left out', (t) => {
  const details = [
    { name: 'http.a.downstream_rq_time', totals: [{ lower_bound: 4, width: 0.1, count: 1 }] },
    { name: 'b' },
  ];
  const stats = [{ name: 'c', value: 4 }, { name: 'd', value: 'text' }, { histograms: { details } }];
  t.deepEqual(readUsedStats({ stats }), {
    values: new Map([['c', 4]]),
    histograms: new Map([
      ['http.a.downstream_rq_time', [{ lowerBound: 4, width: 0.1, count: 1 }]],
      ['b', []],
    ]),
  });
});
