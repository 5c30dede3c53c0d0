import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import test, { type ExecutionContext } from 'ava';
import { createAuthority } from '../../scripts/example/certificate.ts';
import { freePort } from '../../scripts/free-port.ts';
import { allMetrics } from '../../scripts/generate/metrics-page.ts';
import { root } from '../../scripts/paths.mjs';
import { typeUrls } from '../../src/envoy/index.ts';
import type { MetricFacts } from '../../src/telemetry/index.ts';
import { aiRule, aiService, ask, chat, fakeProvider } from '../support/ai.ts';
import { type Sample, Scrapes } from '../support/exposition.ts';
import { DeltaClient } from '../support/grpc.ts';
import { htpasswdLines, htpasswdOf } from '../support/htpasswd.ts';
import { send, serviceObjects, startBackend } from '../support/http.ts';
import { addresses, startLyingDns } from '../support/lying-dns.ts';
import { startOtlpReceiver } from '../support/otlp-receiver.ts';
import type { Running } from '../support/program.ts';
import { alerts, dashboardExpressions, finds, groupsIn, selectorsIn } from '../support/promql.ts';
import { gatewayObjects, routeObject } from '../support/standalone.ts';
import { external } from '../support/trap.ts';
import { TwoProcesses } from '../support/two-processes.ts';
import { until } from '../support/until.ts';

/** Metrics that this world cannot move, each with the test that sees them move. The test names them. */
const movedElsewhere: Readonly<Record<string, string>> = {
  gatewright_leader: 'test/kube/leader.test.ts',
  gatewright_objects_unresolved: 'test/attack/mishaps.test.ts',
  gatewright_watch_restarts_total: 'test/kube/leader.test.ts',
  gatewright_status_writes_total: 'test/kube/leader.test.ts',
  gatewright_events_total: 'test/kube/events.test.ts',
  gatewright_gateway_replica_peers: 'test/feature/replicas.test.ts',
  gatewright_xds_nodes_lost: 'test/feature/nodes-that-leave.test.ts',
  gatewright_key_sets_oldest_age_seconds: 'test/envoy/remote-keys.test.ts',
  gatewright_key_fetches_total: 'test/envoy/remote-keys.test.ts',
  gatewright_namespace_readable: 'test/kube/rights.test.ts',
  gatewright_gateway_dataplane_envoy_hangs_total: 'test/envoy/agent-faults.test.ts',
  gatewright_gateway_dataplane_envoy_upgrades_total: 'test/envoy/agent-upgrade.test.ts',
  gatewright_gateway_dataplane_cache_write_failures_total: 'test/envoy/agent-faults.test.ts',
  gatewright_ai_usage_store_connected: 'test/feature/ai-postgres.test.ts',
  gatewright_shared_limit_store_connected: 'test/envoy/valkey-limits.test.ts',
  gatewright_gateway_dataplane_shared_limit_alone_total: 'test/envoy/shared-limits.test.ts',
};

const nodeId = 'metrics-1';
const to = (name: string) => ({ backendRefs: [{ name, port: 80 }] });
const toXBackend = (name: string) => ({
  backendRefs: [{ group: 'gateway.networking.x-k8s.io', kind: 'XBackend', name }],
});

const all = allMetrics();

interface Story {
  readonly world: TwoProcesses;
  readonly agent: Running;
  readonly controlPlane: Scrapes;
  readonly dataPlane: Scrapes;
  readonly port: number;
}

/** A gateway to which everything has happened that metrics speak of, and that still runs. */
async function live(t: ExecutionContext): Promise<Story> {
  const port = await freePort();
  const [one, two, noOne] = [await startBackend(t), await startBackend(t), await freePort()];
  const model = await fakeProvider(t, 'openai');
  const spans = await startOtlpReceiver(t);
  const dns = await startLyingDns(t);
  dns.set('broken.example', 'SERVFAIL');
  dns.set('metadata.example', addresses('metadata.example', ['169.254.169.254']));
  const backends = { allowedAddresses: ['127.0.0.1/32'] };
  const world = await TwoProcesses.start(t, {
    files: {
      'gateway.yaml': gatewayObjects(port),
      'backends.yaml': [
        ...serviceObjects('one', [one.port]),
        ...serviceObjects('two', [two.port]),
        ...serviceObjects('gone', [noOne]),
        external('broken', 'broken.example', noOne),
        external('metadata', 'metadata.example', noOne),
        aiService('model', model.port, { provider: 'openai', models: [{ name: 'gpt-4o' }] }),
      ],
      'route.yaml': [routeObject('web', 'web.test', [to('one')])],
    },
    controlPlane: {
      backends,
      envoyPatches: { enabled: true },
      translatorLimits: { maxSnapshotEndpoints: 8 },
      aiSpans: { otlpUrl: spans.url },
      tracing: { otlpUrl: spans.url },
      outgoing: { allowLoopback: true },
    },
    dataPlane: { backends, dataplane: { nameServers: [`${dns.host}:${dns.port}`] } },
  });
  const controlPlane = new Scrapes(world.scrapeControlPlane);
  const dataPlane = new Scrapes(world.scrapeDataPlane);
  await controlPlane.take();
  const agent = await world.startDataPlane(t, nodeId);
  await dataPlane.take();
  await until('the data plane to be ready', () => world.isDataPlaneReady());
  return { world, agent, controlPlane, dataPlane, port };
}

const gets = (port: number, host: string, status: number, headers: Record<string, string> = {}) =>
  until(`${host} to answer ${status}`, async () => (await send(port, { host, headers })).status === status);

/** Requests of every sort, and routes that change. */
async function traffic({ world, port, controlPlane, dataPlane }: Story): Promise<void> {
  await gets(port, 'web.test', 200);
  world.write(
    'route.yaml',
    routeObject('web', 'web.test', [to('two')]),
    routeObject('gone', 'gone.test', [to('gone')]),
    routeObject('broken', 'broken.test', [toXBackend('broken')]),
    routeObject('metadata', 'metadata.test', [toXBackend('metadata')]),
    routeObject('ai', 'ai.test', [aiRule('model')]),
    routeObject('staff', 'staff.test', [to('one')]),
    ...passwordsOf('staff'),
    routeObject('shared', 'shared.test', [to('one')]),
    sharedLimit('shared'),
  );
  for (const host of ['gone.test', 'broken.test', 'metadata.test']) await gets(port, host, 503);
  const question = { body: chat('gpt-4o', { used: { input: 3, output: 4 } }, { stream: true }) };
  await until('the model to answer', async () => (await ask(port, question)).status === 200);
  const authorization = `Basic ${btoa(`ann:${htpasswdLines.ann.password}`)}`;
  for (const _ of ['checked', 'known from before']) await gets(port, 'staff.test', 200, { authorization });
  for (const status of [200, 429, 429]) await gets(port, 'shared.test', status);
  // What Envoy has counted and not reported ends with it.
  await change(controlPlane, 'gen_ai_client_token_usage');
  await change(controlPlane, 'gatewright_http_requests_total');
  // A later report than that of the first request: these failed after it.
  await change(controlPlane, 'gatewright_http_request_flags_total');
  await change(dataPlane, 'gatewright_gateway_dataplane_backend_connection_errors_total');
  await change(dataPlane, 'gatewright_gateway_dataplane_http_request_duration_seconds');
}

/** One request an hour, for all proxies together. */
const sharedLimit = (route: string): object => ({
  apiVersion: 'gatewright.dev/v1alpha1',
  kind: 'RateLimitPolicy',
  metadata: { name: route },
  spec: {
    targetRefs: [{ group: 'gateway.networking.k8s.io', kind: 'HTTPRoute', name: route }],
    counting: 'Shared',
    buckets: [{ name: 'b', limits: [{ requests: 1, per: '1h' }] }],
  },
});

/** A policy of a route whose passwords the agent checks. */
const passwordsOf = (route: string): readonly object[] => [
  { apiVersion: 'v1', kind: 'Secret', metadata: { name: 'users' }, stringData: { '.htpasswd': htpasswdOf(['ann']) } },
  {
    apiVersion: 'gatewright.dev/v1alpha1',
    kind: 'AccessPolicy',
    metadata: { name: route },
    spec: {
      targetRefs: [{ group: 'gateway.networking.k8s.io', kind: 'HTTPRoute', name: route }],
      basicAuth: { secretRef: { name: 'users' } },
    },
  },
];

/** Scrapes until the metric is not what it was in an earlier scrape. */
const change = (scrapes: Scrapes, metric: string) =>
  until(`${metric} to change`, async () => {
    await scrapes.take();
    return scrapes.hasChanged(metric);
  });

/** A listener whose port is taken, which Envoy rejects; one with a certificate that ends soon; more endpoints than a snapshot may have. */
async function trouble(t: ExecutionContext, story: Story): Promise<void> {
  const { world, port, controlPlane, dataPlane } = story;
  const taken = await startBackend(t);
  const authority = await createAuthority('tests');
  const soon = new Date(Date.now() + 7 * 86_400_000);
  const { certificatePem, keyPem } = await authority.issue({ hostnames: ['tls.test'], ends: soon });
  const [gatewayClass, gateway] = gatewayObjects(port) as [object, { spec: { listeners: object[] } }];
  const tls = { mode: 'Terminate', certificateRefs: [{ name: 'soon' }] };
  const listeners = [
    ...gateway.spec.listeners,
    { name: 'taken', port: taken.port, protocol: 'HTTP' },
    { name: 'tls', port: await freePort(), protocol: 'HTTPS', tls },
  ];
  const data = { 'tls.crt': btoa(certificatePem), 'tls.key': btoa(keyPem) };
  const secret = { apiVersion: 'v1', kind: 'Secret', metadata: { name: 'soon' }, type: 'kubernetes.io/tls', data };
  world.write('gateway.yaml', gatewayClass, { ...gateway, spec: { ...gateway.spec, listeners } }, secret);
  world.write('odd.yaml', { ...routeObject('odd', 'odd.test', [to('one')]), spec: { odd: true } });
  await change(controlPlane, 'gatewright_file_problems');
  await change(controlPlane, 'gatewright_xds_nacks_total');
  await change(controlPlane, 'gatewright_xds_held_back');
  world.write('patch.yaml', slowPatch('one'));
  await change(controlPlane, 'gatewright_xds_trials_total');
  await change(controlPlane, 'gatewright_certificate_expiry_seconds');
  await change(dataPlane, 'gatewright_gateway_dataplane_fault');
  world.write('gateway.yaml', gatewayClass, gateway);
  const tooMany = serviceObjects('crowd', [1, 2, 3, 4, 5, 6, 7, 8, 9]);
  world.write('crowd.yaml', ...tooMany, routeObject('crowd', 'crowd.test', [to('crowd')]));
  await change(controlPlane, 'gatewright_gateway_snapshot_last_build_success');
  world.write('crowd.yaml');
}

/** What the Envoy of the proxy tries beside the one that serves. */
const slowPatch = (service: string): object => ({
  apiVersion: 'gatewright.dev/v1alpha1',
  kind: 'EnvoyPatch',
  metadata: { name: service },
  spec: { targetRefs: [{ group: '', kind: 'Service', name: service }], cluster: { connect_timeout: '7s' } },
});

/** Envoy is killed, and another data plane takes the node id. */
async function accidents(t: ExecutionContext, { world, dataPlane }: Story): Promise<void> {
  process.kill(await world.envoyPid(), 'SIGKILL');
  await change(dataPlane, 'gatewright_gateway_dataplane_envoy_restarts_total');
  const other = new DeltaClient({ target: world.xdsPort, nodeId, cluster: 'default/edge' });
  t.teardown(() => other.close());
  other.subscribe(typeUrls.cluster);
  await change(dataPlane, 'gatewright_gateway_dataplane_xds_superseded_total');
  await change(dataPlane, 'gatewright_gateway_dataplane_xds_reconnects_total');
  await until('the data plane to be ready again', () => world.isDataPlaneReady());
}

const toMove = (metrics: readonly MetricFacts[]) =>
  metrics.map(({ name }) => name).filter((name) => !(name in movedElsewhere));

test('a running gateway moves every metric, and has each series that alerts and dashboard look for', async (t) => {
  const story = await live(t);
  const { agent, controlPlane, dataPlane } = story;
  await traffic(story);
  await accidents(t, story);
  await trouble(t, story);
  for (const metric of toMove(all.dataPlane)) await change(dataPlane, metric);
  agent.kill('SIGTERM');
  await agent.ended;
  for (const metric of toMove(all.controlPlane)) await change(controlPlane, metric);
  const samples = [...controlPlane.samples, ...dataPlane.samples];
  const declared = new Map([...all.controlPlane, ...all.dataPlane, ...all.process].map((facts) => [facts.name, facts]));
  const unknown = samples.filter(({ metric }) => /^(?:gatewright|gen_ai)_/.test(metric) && !declared.has(metric));
  t.deepEqual(unknown, [], 'docs/metrics.md lists all');
  for (const [name, expr] of expressions()) t.deepEqual(missing(expr, samples, declared), [], name);
});

const expressions = (): (readonly [name: string, expr: string])[] => [
  ...alerts().map(({ alert, expr }) => [alert, expr] as const),
  ...dashboardExpressions().map(({ title, expr }) => [title, expr] as const),
];

/** What an expression looks for, or groups by, and does not find. */
function missing(expr: string, samples: readonly Sample[], declared: ReadonlyMap<string, MetricFacts>): string[] {
  return selectorsIn(expr).flatMap((selector) => {
    const { series } = selector;
    const labels = declared.get(series)?.labels ?? [];
    const found = samples.find((sample) => sample.series === series && finds(selector, sample.labels));
    if (!found && !(series in movedElsewhere)) return [JSON.stringify(selector)];
    const known = new Set([...labels, ...Object.keys(found?.labels ?? {})]);
    return groupsIn(expr).flatMap((label) => (known.has(label) ? [] : [`${series} has no label ${label}`]));
  });
}

test('what is moved elsewhere is looked at there', (t) => {
  const known = new Set([...all.controlPlane, ...all.dataPlane].map(({ name }) => name));
  for (const [metric, file] of Object.entries(movedElsewhere)) {
    t.true(known.has(metric), metric);
    const text = readFileSync(join(root, file), 'utf8');
    t.true(text.includes(metric.replace(/^gatewright_(?:gateway_dataplane_)?/, '')), `${file}: ${metric}`);
  }
});
