/**
 * Many tenants on one Gateway: ListenerSets with an HTTPS listener each, on one port, and HTTPRoutes spread over them.
 *
 *     npm run bench -- listener-sets [--namespaces 50] [--sets 50] [--routes 16] [--churn-seconds 60]
 *
 * `--sets` are for each namespace, `--routes` for each ListenerSet. A real API server with etcd, the control plane, an agent and an Envoy.
 * How long until the last one answers over TLS and every one is accepted; memory; CPU while a route changes its host every 200 ms, and
 * while nothing happens. One line of JSON. Needs what `peer` needs.
 */
import { setTimeout as delay } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { issueCertificate } from '../../scripts/example/certificate.ts';
import { freePort } from '../../scripts/free-port.ts';
import { type KubernetesObject, kinds } from '../../src/gateway-api/index.ts';
import { until } from '../../test/support/until.ts';
import { Gatewright } from '../peer/gatewright.ts';
import { meter } from '../peer/meter.ts';
import { backend, namespace, World } from '../peer/world.ts';
import { applyAll, type Typed } from '../support/apply-all.ts';
import { statusOf } from '../support/ask.ts';
import { inOwnNetwork } from './own-network.ts';

const { values: options } = parseArgs({
  options: {
    namespaces: { type: 'string', default: '50' },
    sets: { type: 'string', default: '50' },
    routes: { type: 'string', default: '16' },
    'churn-seconds': { type: 'string', default: '60' },
  },
});
const [spaces, sets, routes, churnSeconds] = [
  options.namespaces,
  options.sets,
  options.routes,
  options['churn-seconds'],
].map(Number) as [number, number, number, number];
const apiVersion = 'gateway.networking.k8s.io/v1';
const patient = 1_800_000;

inOwnNetwork();
await using world = await World.open();
const kube = world.api.client;
const https = await freePort();
const subject = await Gatewright.prepare(world);
await subject.start();
try {
  await subject.probe.ready();
  await kube.apply(kinds.Gateway, {
    apiVersion,
    kind: 'Gateway',
    metadata: { name: subject.gateway, namespace },
    spec: {
      gatewayClassName: subject.gateway,
      listeners: [{ name: 'http', port: subject.probe.port, protocol: 'HTTP' }],
      allowedListeners: { namespaces: { from: 'All' } },
    },
  });
  const before = await meter(subject);
  await applyAll(kube, tenantObjects(await issueCertificate(['*.example.com'])));
  await applyAll(kube, setObjects());
  const setsWritten = performance.now();
  await until(
    'all ListenerSets to be programmed',
    async () => (await programmed()) === spaces * sets || undefined,
    patient,
  );
  const setsProgrammedMs = performance.now() - setsWritten;
  await applyAll(kube, routeObjects());
  const written = performance.now();
  const [space, set] = [spaces - 1, sets - 1];
  await until('the last route', async () => (await ask(hostOf(space, set, routes - 1))) === 200 || undefined, patient);
  const lastAnswersMs = performance.now() - written;
  await until('all routes to be accepted', async () => (await accepted()) || undefined, patient);
  const allAcceptedMs = performance.now() - written;
  const loaded = await meter(subject);
  const rested = await idle(30_000);
  const churn = await churned();
  const { controlPlane, proxy } = await subject.processes();
  console.log(
    JSON.stringify({
      listenerSets: spaces * sets,
      routes: spaces * sets * routes,
      setsProgrammedMs: Math.round(setsProgrammedMs),
      lastAnswersMs: Math.round(lastAnswersMs),
      allAcceptedMs: Math.round(allAcceptedMs),
      cpuSecondsToLoad: Math.round((loaded.cpuSeconds - before.cpuSeconds) * 10) / 10,
      idleCores: rested,
      churn,
      controlPlane,
      proxy,
    }),
  );
} finally {
  await subject.stop();
  subject.probe.close();
}

function tenants(): string[] {
  return Array.from({ length: spaces }, (_, space) => `tenant-${space}`);
}

function tenantObjects({ certificatePem, keyPem }: { certificatePem: string; keyPem: string }): Typed[] {
  const data = Object.entries({ 'tls.crt': certificatePem, 'tls.key': keyPem }).map(([key, text]) => [
    key,
    Buffer.from(text).toString('base64'),
  ]);
  const ofSpaces = tenants().map(
    (name): Typed => [kinds.Namespace, { apiVersion: 'v1', kind: 'Namespace', metadata: { name } }],
  );
  const ofSecrets = tenants().map(
    (name): Typed => [
      kinds.Secret,
      {
        apiVersion: 'v1',
        kind: 'Secret',
        metadata: { name: 'certificate', namespace: name },
        type: 'kubernetes.io/tls',
        data: Object.fromEntries(data),
      } as KubernetesObject,
    ],
  );
  const ofGrants = tenants().map((name): Typed => {
    const from = [{ group: 'gateway.networking.k8s.io', kind: 'HTTPRoute', namespace: name }];
    const spec = { from, to: [{ group: '', kind: 'Service' }] };
    return [kinds.ReferenceGrant, { apiVersion, kind: 'ReferenceGrant', metadata: { name, namespace }, spec }];
  });
  return [...ofSpaces, ...ofSecrets, ...ofGrants];
}

function* setObjects(): Generator<Typed> {
  for (const [space, tenant] of tenants().entries()) {
    for (let set = 0; set < sets; set += 1) {
      const listener = {
        name: 'https',
        port: https,
        protocol: 'HTTPS',
        hostname: `*.s${set}.t${space}.example.com`,
        tls: { certificateRefs: [{ name: 'certificate' }] },
      };
      const spec = { parentRef: { name: subject.gateway, namespace }, listeners: [listener] };
      yield [
        kinds.ListenerSet,
        { apiVersion, kind: 'ListenerSet', metadata: { name: `set-${set}`, namespace: tenant }, spec },
      ];
    }
  }
}

function* routeObjects(): Generator<Typed> {
  for (let space = 0; space < spaces; space += 1)
    for (let set = 0; set < sets; set += 1)
      for (let at = 0; at < routes; at += 1) yield route(space, set, at, hostOf(space, set, at));
}

function route(space: number, set: number, at: number, host: string): Typed {
  const spec = {
    parentRefs: [{ group: 'gateway.networking.k8s.io', kind: 'ListenerSet', name: `set-${set}` }],
    hostnames: [host],
    rules: [{ backendRefs: [{ name: backend.name, namespace, port: backend.port }] }],
  };
  const metadata = { name: `route-${set}-${at}`, namespace: `tenant-${space}` };
  return [kinds.HTTPRoute, { apiVersion, kind: 'HTTPRoute', metadata, spec }];
}

function hostOf(space: number, set: number, at: number | string): string {
  return `r${at}.s${set}.t${space}.example.com`;
}

/** The status over TLS, 0 when there is no answer. */
function ask(host: string): Promise<number> {
  return statusOf({ address: '127.0.0.1', port: https, tls: true }, host, false, 5000);
}

interface Conditioned extends KubernetesObject {
  readonly status?: {
    readonly conditions?: readonly Condition[];
    readonly parents?: readonly { readonly conditions?: readonly Condition[] }[];
  };
}

interface Condition {
  readonly type: string;
  readonly status: string;
}

function says(conditions: readonly Condition[] | undefined, type: string): boolean {
  return conditions?.some((one) => one.type === type && one.status === 'True') ?? false;
}

async function programmed(): Promise<number> {
  const all = await kube.list<Conditioned>(kinds.ListenerSet);
  return all.filter(({ status }) => says(status?.conditions, 'Programmed')).length;
}

async function accepted(): Promise<boolean> {
  const all = await kube.list<Conditioned>(kinds.HTTPRoute);
  return all.filter(({ status }) => says(status?.parents?.[0]?.conditions, 'Accepted')).length > spaces * sets * routes;
}

async function idle(ms: number): Promise<number> {
  const from = await meter(subject);
  await delay(ms);
  const to = await meter(subject);
  return Math.round(((to.cpuSeconds - from.cpuSeconds) / (to.ms - from.ms)) * 1e6) / 1e3;
}

/** One route after the other gets a host that nobody has had, and is asked for it. */
async function churned() {
  const from = await meter(subject);
  const end = performance.now() + churnSeconds * 1000;
  const times: number[] = [];
  for (let change = 0; performance.now() < end; change += 1) {
    const [space, set] = [change % spaces, change % sets];
    const host = hostOf(space, set, `new${change}`);
    const began = performance.now();
    await kube.apply(...route(space, set, 0, host));
    await until(host, async () => (await ask(host)) === 200 || undefined, patient);
    times.push(performance.now() - began);
    await delay(200);
  }
  const to = await meter(subject);
  times.sort((a, b) => a - b);
  return {
    changes: times.length,
    cores: Math.round(((to.cpuSeconds - from.cpuSeconds) / (to.ms - from.ms)) * 1e6) / 1e3,
    cpuMsPerChange: Math.round(((to.cpuSeconds - from.cpuSeconds) * 1000) / times.length),
    bytesPerChange: Math.round((to.bytes - from.bytes) / times.length),
    newHostMs: { p50: Math.round(times[times.length >> 1] ?? 0), max: Math.round(times.at(-1) ?? 0) },
  };
}
