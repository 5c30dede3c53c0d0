import test from 'ava';
import { createMetrics } from '../../../src/app/control-plane/metrics.ts';

const metrics = () => createMetrics({ process: false });

/** Asserts that the exposition holds exactly this line. */
const has = (text: string, line: string): boolean => text.split('\n').includes(line);

test("the contract's names are there before anything happened, and say that nothing is wrong", async (t) => {
  const text = await metrics().text();
  t.true(has(text, 'gatewright_gateway_snapshot_last_build_success 1'));
  t.true(has(text, 'gatewright_gateway_snapshot_build_failures_total 0'));
  t.true(has(text, 'gatewright_gateway_controlplane_xds_stream_terminations_total{reason="superseded"} 0'));
  t.regex(text, /# TYPE gatewright_gateway_dataplane_ready gauge/);
  t.regex(text, /# TYPE gatewright_gateway_admin_request_duration_seconds histogram/);
});

test('a failed build shows until the next good one', async (t) => {
  const { builds, text } = metrics();
  builds.failed(0.1);
  t.true(has(await text(), 'gatewright_gateway_snapshot_last_build_success 0'));
  t.true(has(await text(), 'gatewright_gateway_snapshot_build_failures_total 1'));
  builds.succeeded(0.1);
  t.true(has(await text(), 'gatewright_gateway_snapshot_last_build_success 1'));
  t.true(has(await text(), 'gatewright_gateway_snapshot_build_failures_total 1'));
  t.true(has(await text(), 'gatewright_builds_total 2'));
});

test('streams and nodes come and go', async (t) => {
  const { xds, text } = metrics();
  xds.streamOpened('delta');
  xds.streamOpened('delta');
  xds.streamClosed('superseded');
  xds.nodeReady({ nodeId: 'edge-1', gateway: 'a/b' }, true);
  xds.nodeReady({ nodeId: 'edge-1', gateway: 'a/c' }, false);
  xds.nodeForgotten({ nodeId: 'edge-1', gateway: 'a/c' });
  const shown = await text();
  t.true(has(shown, 'gatewright_xds_streams 1'));
  t.true(has(shown, 'gatewright_gateway_controlplane_xds_stream_terminations_total{reason="superseded"} 1'));
  t.true(has(shown, 'gatewright_gateway_dataplane_ready{node_id="edge-1",gateway="a/b"} 1'));
  t.notRegex(shown, /a\/c/);
});

test('what is read at scrapes is there before anything can be read', async (t) => {
  const text = await metrics().text();
  t.true(has(text, 'gatewright_xds_nodes{sync="drifted"} 0'));
  t.true(has(text, 'gatewright_certificates 0'));
  t.true(has(text, 'gatewright_published_total 0'));
});

test('other control planes are counted by whether they can be reached', async (t) => {
  const { replicas, text } = metrics();
  replicas.peers({ connected: 2, unreachable: 1 });
  t.true(has(await text(), 'gatewright_gateway_replica_peers{state="connected"} 2'));
  t.true(has(await text(), 'gatewright_gateway_replica_peers{state="unreachable"} 1'));
});

test('an unknown method does not make a new series', async (t) => {
  const { admin, text } = metrics();
  admin.request({ app: 'layout1', method: 'BREW', route: 'unmatched', status: 405, seconds: 0.001 });
  t.regex(await text(), /method="other"/);
  t.notRegex(await text(), /BREW/);
});

test('two sets of metrics do not share a registry', async (t) => {
  const [one, two] = [metrics(), metrics()];
  one.builds.succeeded(1);
  t.true(has(await two.text(), 'gatewright_builds_total 0'));
});

test('process and event-loop metrics carry the prefix', async (t) => {
  const text = await createMetrics().text();
  t.regex(text, /^gatewright_process_cpu_seconds_total /m);
  t.regex(text, /^gatewright_nodejs_eventloop_lag_p99_seconds /m);
  t.notRegex(text, /^(?!#|gatewright_)./m);
});
