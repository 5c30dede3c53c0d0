import { existsSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import test from 'ava';
import { otherKubernetesDir, versions } from '../../scripts/paths.mjs';
import { typeUrls } from '../../src/envoy/index.ts';
import { type KubernetesObject, kinds } from '../../src/gateway-api/index.ts';
import type { ResourceType } from '../../src/kube/index.ts';
import { DeltaClient } from '../support/grpc.ts';
import { readCrds } from '../support/kube-apiserver/definitions.ts';
import { KubeApiServer, typeOf } from '../support/kube-apiserver.ts';
import { type KubeOperator, startKubeOperator } from '../support/kube-operator.ts';
import { objectsOf } from '../support/manifests.ts';
import { runProgram } from '../support/program.ts';
import { untilFits } from '../support/until.ts';

/** The oldest Kubernetes that docs/versions.md names: an installation, a route, a policy, and what its API server rejects. */

const version = versions.KUBERNETES_OLDEST;
const programs = otherKubernetesDir(version);
const build = `npm run setup -- --kubernetes ${version}`;

const patient = { timeoutMs: 100_000 };
const crds: ResourceType = { group: 'apiextensions.k8s.io', version: 'v1', plural: 'customresourcedefinitions' };

/** A test that needs the API server, which takes minutes to build: without it the reader learns how to get it. */
const onOldest = existsSync(programs)
  ? test.serial
  : (title: string, _run: Parameters<typeof test.serial>[1]) =>
      test(`skipped, because Kubernetes ${version} is not in the cache: ${title}`, (t) => {
        t.log(`"${build}" builds it`);
        t.pass();
      });

const group = 'gateway.networking.k8s.io';

const objects = `
{apiVersion: ${group}/v1, kind: GatewayClass, metadata: {name: plain}, spec: {controllerName: gatewright.dev/gateway-controller}}
---
apiVersion: ${group}/v1
kind: Gateway
metadata: {name: edge, namespace: shop}
spec: {gatewayClassName: plain, listeners: [{name: http, port: 80, protocol: HTTP}]}
---
{apiVersion: v1, kind: Service, metadata: {name: web, namespace: shop}, spec: {ports: [{port: 80}]}}
---
apiVersion: ${group}/v1
kind: HTTPRoute
metadata: {name: web, namespace: shop}
spec: {parentRefs: [{name: edge}], hostnames: [web.test], rules: [{backendRefs: [{name: web, port: 80}]}]}
---
apiVersion: gatewright.dev/v1alpha1
kind: TrafficPolicy
metadata: {name: retries, namespace: shop}
spec: {targetRefs: [{group: ${group}, kind: HTTPRoute, name: web}], retry: {attempts: 2}}
`;

/** Rules with functions that API servers know since 1.31 alone, and what they say. */
const rejected: Readonly<Record<string, readonly [kind: string, spec: object, says: RegExp]>> = {
  isCIDR: ['DataPlane', { service: { loadBalancerSourceRanges: ['192.0.2.0'] } }, /must be in CIDR notation/],
  isIP: [
    'DataPlane',
    { metrics: { sinks: [{ dogStatsd: { host: 'statsd.test', port: 8125 } }] } },
    /host must be an IP address/,
  ],
  lowerAscii: [
    'TrafficPolicy',
    {
      targetRefs: [{ group, kind: 'Gateway', name: 'edge' }],
      errorPages: [
        {
          codes: [404],
          service: { backendRef: { name: 'pages', port: 80 }, headers: [{ name: 'X-Gw-a', value: 'b' }] },
        },
      ],
    },
    /must not be one that frames messages/,
  ],
};

onOldest('a route and a policy are accepted and served, and precheck takes the cluster', async (t) => {
  t.timeout(600_000);
  const own = (await readCrds('own')).map(({ spec }) => (spec as { names: { plural: string } }).names.plural);
  const gatewayApi = { channel: 'standard', version: versions.GATEWAY_API } as const;
  const operator = await startKubeOperator({ programs, gatewayApi, own, objects });
  t.teardown(() => operator.stop());
  await untilFits(
    'the route to be accepted, with its Service',
    async () => await conditionsOf(operator, 'HTTPRoute', 'web', 'parents'),
    (is) => is.includes('Accepted=True') && is.includes('ResolvedRefs=True'),
  );
  await untilFits(
    'the policy to be accepted',
    async () => await conditionsOf(operator, 'TrafficPolicy', 'retries', 'ancestors'),
    (is) => is.includes('Accepted=True'),
  );
  const client = new DeltaClient({
    target: operator.control.ports.xds,
    nodeId: 'gatewright-edge-1',
    cluster: 'shop/edge',
  });
  t.teardown(() => client.close());
  client.subscribe(typeUrls.scopedRoute);
  const { resources } = await client.take(typeUrls.scopedRoute);
  t.regex(resources.map(({ name }) => name).join(' '), /web\.test/);
  const { stdout } = await runProgram(['precheck', '--kubeconfig', operator.api.kubeconfig]);
  t.regex(stdout, new RegExp(`ok +Kubernetes v${version.replaceAll('.', '\\.')}`));
  for (const [name, [kind, spec, says]] of Object.entries(rejected)) {
    const object = { apiVersion: 'gatewright.dev/v1alpha1', kind, metadata: { name: 'bad', namespace: 'shop' }, spec };
    const type = kinds[kind as 'DataPlane' | 'TrafficPolicy'];
    await t.throwsAsync(operator.api.client.apply(type, object as KubernetesObject), { message: says }, name);
  }
});

onOldest('it takes every object of install.yaml', async (t) => {
  t.timeout(600_000);
  await using api = await KubeApiServer.start({ programs, crds: 'standard' });
  const all = objectsOf(await readFile(new URL('../../manifests/install.yaml', import.meta.url), 'utf8'));
  for (const object of all) await t.notThrowsAsync(api.client.apply(typeOf(object), object, patient), object.kind);
});

onOldest('Gateway and XBackend of the experimental channel need 1.32, and nothing else there does', async (t) => {
  t.timeout(600_000);
  await using api = await KubeApiServer.start({ programs });
  const lacking: string[] = [];
  for (const crd of await readCrds('experimental')) {
    const problem = await api.client.create(crds, crd, patient).then(
      () => undefined,
      (error: Error) => error.message,
    );
    if (problem === undefined) continue;
    t.regex(problem, /undeclared reference to 'format'/);
    lacking.push(crd.metadata.name);
  }
  t.deepEqual(lacking, ['gateways.gateway.networking.k8s.io', 'xbackends.gateway.networking.x-k8s.io']);
});

/** `Accepted=True ResolvedRefs=True`, by the first parent or ancestor. */
async function conditionsOf(
  { api }: KubeOperator,
  kind: 'HTTPRoute' | 'TrafficPolicy',
  name: string,
  list: 'parents' | 'ancestors',
): Promise<string> {
  const { status } = await api.client.get<KubernetesObject>(kinds[kind], { namespace: 'shop', name });
  const entries = (status as Readonly<Record<string, readonly Entry[]>> | undefined)?.[list] ?? [];
  return (entries[0]?.conditions ?? []).map(({ type, status: is }) => `${type}=${is}`).join(' ');
}

interface Entry {
  readonly conditions: readonly { readonly type: string; readonly status: string }[];
}
