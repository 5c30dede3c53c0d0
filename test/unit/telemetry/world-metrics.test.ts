import test from 'ava';
import { createMetrics, type WorldFigures } from '../../../src/telemetry/index.ts';

const soon = new Date('2030-01-01T00:00:00Z');

test('what is so now is asked for at each scrape, and nothing of before stays', async (t) => {
  const { world, text } = createMetrics({ process: false });
  let now: WorldFigures = {
    nodes: { current: 2, drifted: 1 },
    certificates: 3,
    ending: [{ secret: 'shop/web', notAfter: soon }],
    objects: [['HTTPRoute', 5]],
    resources: [{ typeUrl: 'type.googleapis.com/envoy.config.listener.v3.Listener', resources: 2, bytes: 512 }],
  };
  world.follow(() => now);
  const first = (await text()).split('\n');
  t.true(first.includes('gatewright_xds_nodes{sync="current"} 2'));
  t.true(first.includes('gatewright_xds_nodes{sync="drifted"} 1'));
  t.true(first.includes('gatewright_certificates 3'));
  t.true(first.includes(`gatewright_certificate_expiry_seconds{secret="shop/web"} ${soon.getTime() / 1000}`));
  t.true(first.includes('gatewright_input_objects{kind="HTTPRoute"} 5'));
  t.true(first.includes('gatewright_snapshot_resources{type="Listener"} 2'));
  t.true(first.includes('gatewright_snapshot_bytes{type="Listener"} 512'));
  now = { nodes: { current: 3, drifted: 0 }, certificates: 3, ending: [], objects: [['HTTPRoute', 0]], resources: [] };
  const second = await text();
  t.true(second.split('\n').includes('gatewright_xds_nodes{sync="drifted"} 0'));
  t.true(second.split('\n').includes('gatewright_input_objects{kind="HTTPRoute"} 0'));
  t.notRegex(second, /shop\/web|"Listener"/);
});

test('before there is a world the figures are 0', async (t) => {
  const text = await createMetrics({ process: false }).text();
  t.regex(text, /^gatewright_xds_nodes\{sync="drifted"\} 0$/m);
  t.regex(text, /^gatewright_certificates 0$/m);
});
