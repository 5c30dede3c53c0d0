import test from 'ava';
import { freePort } from '../../scripts/free-port.ts';
import { cluster, endpoints, httpListener, routes } from '../support/agent-resources.ts';
import { ask, askReport, startAgent, startBackend, startControlPlane, untilReady } from '../support/agent-world.ts';
import { dashboardExpressions, metricsIn, seriesOf } from '../support/promql.ts';
import { untilFits } from '../support/until.ts';

test('a data plane that served a request exposes every metric of Envoy that the dashboard shows', async (t) => {
  const backend = await startBackend(t);
  const controlPlane = await startControlPlane(t);
  const agent = await startAgent(t, controlPlane.address);
  const port = await freePort();
  const listener = httpListener(port);
  const name = 'shop/web/80';
  controlPlane.publish('s1', [listener, routes(listener.name, name), cluster(name), endpoints(name, backend.port)]);
  await untilReady(agent);
  t.is((await ask(port, '/')).status, 200);
  const desired = new Set(dashboardExpressions().flatMap(({ expr }) => metricsIn(expr)));
  const envoys = [...desired].filter((metric) => metric.startsWith('envoy_'));
  t.true(envoys.length >= 4);
  // Envoy counts in each of its threads, and adds up a little later.
  const missing = await untilFits(
    'the metrics to be exposed',
    async () => {
      const exposed = seriesOf((await askReport(agent, '/api/v1/metrics')).body);
      return envoys.filter((metric) => !exposed.has(metric));
    },
    (names) => names.length === 0,
  );
  t.deepEqual(missing, []);
});
