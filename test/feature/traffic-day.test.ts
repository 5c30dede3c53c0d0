import test from 'ava';
import { startAdmin } from '../support/admin.ts';
import { gateway, gatewayClass, httpRoute } from '../support/objects.ts';
import { counted, trafficReport, trafficRow } from '../support/traffic.ts';

const minute = 60_000;
const hour = 60 * minute;
const cluster = 'default/edge';

interface Traffic {
  readonly window: { readonly stepSeconds: number };
  readonly totals: { readonly requests: number; readonly errors: number };
  readonly items: readonly {
    readonly name: string;
    readonly requests: number;
    readonly series?: readonly (readonly [at: string, requests: number, errors: number])[];
  }[];
}

test('a window of a day adds up each report of it once, by five minutes, and forgets what is older', async (t) => {
  const admin = await startAdmin();
  t.teardown(() => admin.close());
  const routes = ['shop', 'cart'].map((name) => httpRoute(name, { parentRefs: [{ name: 'edge' }] }));
  admin.build(gatewayClass(), gateway('edge'), ...routes);
  const started = admin.now.getTime();
  const at = (ms: number) => {
    admin.now = new Date(started + ms);
  };
  const report = (name: string, good: number, bad: number) => {
    const now = admin.now.getTime();
    const rows = [trafficRow(`httproute/default/${name}/rule/0`, { good, bad })];
    admin.traffic.take({ nodeId: 'n1', cluster }, trafficReport({ cluster, now, counted: counted(rows, now) }));
  };
  const ask = async (query: string): Promise<Traffic> =>
    (await (await admin.layout1(`/v1/traffic?${query}`)).json()) as Traffic;

  // The first report is gone when a day is over; of the others one comes every seven minutes.
  report('shop', 1000, 0);
  let [shop, cart, errors] = [0, 0, 0];
  for (let ms = hour; ms <= 24.5 * hour; ms += 7 * minute) {
    at(ms);
    report('shop', 3, 1);
    report('cart', 2, 0);
    shop += 4;
    cart += 2;
    errors += 1;
  }
  const day = await ask('window=24h&series=true');
  t.is(day.window.stepSeconds, 300);
  t.deepEqual(Object.fromEntries(day.items.map(({ name, requests }) => [name, requests])), { shop, cart });
  t.like(day.totals, { requests: shop + cart, errors });
  const points = day.items.flatMap(({ series = [] }) => series);
  t.is(
    points.reduce((sum, [, requests]) => sum + requests, 0),
    shop + cart,
  );
  const quarter = await ask('window=15m');
  t.true(quarter.totals.requests > 0 && quarter.totals.requests <= 3 * 6, `${quarter.totals.requests}`);
  at(49 * hour);
  t.is((await ask('window=24h')).totals.requests, 0);
});
