import test, { type ExecutionContext } from 'ava';
import { freePort } from '../../scripts/free-port.ts';
import { loadConfig } from '../../src/config/index.ts';
import { type Sample, samplesOf } from '../support/exposition.ts';
import { serviceObjects } from '../support/http.ts';
import { request } from '../support/request.ts';
import { routeObject, startStandalone } from '../support/standalone.ts';
import { untilFits } from '../support/until.ts';

const prefix = 'gatewright_http_request';
const rule = (name: string) => ({ backendRefs: [{ name, port: 80 }] });
const toCart = { matches: [{ path: { type: 'PathPrefix', value: '/cart' } }], ...rule('web') };

async function start(t: ExecutionContext, maxRouteRules: number) {
  t.timeout(600_000);
  const { metrics } = loadConfig(undefined, {});
  const config = { metrics: { ...metrics, listen: { port: 0 }, maxRouteRules } };
  const gateway = await startStandalone({}, { config });
  t.teardown(() => gateway.stop());
  gateway.write('backends.yaml', ...(await gateway.backend('web')), ...serviceObjects('gone', [await freePort()]));
  gateway.write(
    'routes.yaml',
    routeObject('shop', 'shop.test', [toCart, rule('web')]),
    routeObject('gone', 'gone.test', [rule('gone')]),
    routeObject('late', 'late.test', [rule('web')]),
  );
  await untilFits(
    'routes',
    () => gateway.get('late.test'),
    ({ status }) => status === 200,
  );
  const scrape = async () =>
    samplesOf(await (await request(`http://127.0.0.1:${gateway.control.ports.metrics}/metrics`)).text());
  return { gateway, scrape };
}

const total = (samples: readonly Sample[], series: string) =>
  samples.filter((sample) => sample.series === series).reduce((sum, { value }) => sum + value, 0);

/** Values by route, rule and one more label. */
const shown = (samples: readonly Sample[], series: string, label: string) =>
  Object.fromEntries(
    samples
      .filter((sample) => sample.series === series)
      .map(({ labels, value }) => [`${labels.route_name} ${labels.rule} ${labels[label]}`, value]),
  );

test('requests of each rule have exact counts by class and flag, and durations', async (t) => {
  const { gateway, scrape } = await start(t, 500);
  const classes = (samples: readonly Sample[]) => shown(samples, `${prefix}s_total`, 'code_class');
  // The last request of the start is counted, and so are those before it.
  const before = await untilFits('the first ones', scrape, (all) => classes(all)['late 0 2xx'] !== undefined);
  const late = total(before, `${prefix}s_total`);
  const asked: readonly (readonly [host: string, path: string, times: number])[] = [
    ['shop.test', '/cart/7', 7],
    ['shop.test', '/', 5],
    ['gone.test', '/', 3],
    ['nowhere.test', '/', 2],
  ];
  for (const [host, path, times] of asked) for (let at = 0; at < times; at++) await gateway.get(host, path);
  const samples = await untilFits('all', scrape, (all) => total(all, `${prefix}s_total`) >= late + 17);
  const counts = classes(samples);
  const { 'late 0 2xx': _, 'no_route  4xx': unrouted, ...rest } = counts;
  t.deepEqual(rest, { 'shop 0 2xx': 7, 'shop 1 2xx': 5, 'gone 0 5xx': 3 });
  t.true((unrouted ?? 0) >= 2, 'requests that found no route are of the Gateway');
  t.is(shown(samples, `${prefix}_flags_total`, 'flag')['gone 0 UF'], 3);
  t.is(shown(samples, `${prefix}_duration_seconds_count`, 'x')['shop 0 undefined'], 7);
  t.is(shown(samples, `${prefix}_duration_seconds_bucket`, 'le')['shop 0 +Inf'], 7);
  const one = samples.find(({ labels, series }) => series === `${prefix}s_total` && labels.route_name === 'shop');
  t.like(one?.labels, { gateway: 'default/edge', route_kind: 'HTTPRoute', route_namespace: 'default' });
});

test('rules above the limit are counted together, and with the limit 0 there are no such metrics', async (t) => {
  const { gateway, scrape } = await start(t, 1);
  // The one rule that there is place for has been asked already.
  await untilFits('the first ones', scrape, (all) => all.some(({ labels }) => labels.route_name === 'late'));
  for (let at = 0; at < 4; at++) await gateway.get('shop.test', at % 2 === 0 ? '/' : '/cart');
  const others = (samples: readonly Sample[]) => shown(samples, `${prefix}s_total`, 'code_class')['other  2xx'] ?? 0;
  // They may be in two reports.
  const all = await untilFits('others', scrape, (samples) => others(samples) >= 4);
  t.is(others(all), 4);
  t.false(all.some(({ labels }) => labels.route_name === 'shop'));

  const none = await start(t, 0);
  const traffic = () => none.gateway.json(none.gateway.control.ports.layout1, '/v1/traffic');
  await untilFits('a report', traffic, ({ body }) => (body as { totals: { requests: number } }).totals.requests > 0);
  t.false((await none.scrape()).some(({ series }) => series.startsWith(prefix)));
});
