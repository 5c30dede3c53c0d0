import { status } from '@grpc/grpc-js';
import anyTest, { type ExecutionContext, type TestFn } from 'ava';
import { typeUrls } from '../../src/envoy/index.ts';
import type { KubernetesObject } from '../../src/gateway-api/index.ts';
import { placeOf } from '../../src/infrastructure/index.ts';
import { KubeClient, type ResourceType } from '../../src/kube/index.ts';
import { type AuditedKube, startAuditedKube } from '../support/audited-kube.ts';
import { DeltaClient } from '../support/grpc.ts';
import { typeOf } from '../support/kube-apiserver.ts';
import {
  accountIn,
  applyAll,
  kustomized,
  rightsOf,
  type ShippedInstall,
  startShipped,
  systemNamespace,
} from '../support/shipped-install.ts';
import { until } from '../support/until.ts';
import { trusting } from '../support/xds-tls.ts';

// Mallory may do everything in the namespace team-a and nothing elsewhere. The install reads team-a and team-b, and runs proxies in
// its own namespace; team-c has Secrets, and its ReferenceGrants carelessly permit references from team-a.

const test = anyTest as TestFn<{ kube: AuditedKube; install: ShippedInstall; mallory: KubeClient }>;
type T = ExecutionContext<{ kube: AuditedKube; install: ShippedInstall; mallory: KubeClient }>;
const patient = 600_000;
const core = (plural: string): ResourceType => ({ group: '', version: 'v1', plural });
const deployments: ResourceType = { group: 'apps', version: 'v1', plural: 'deployments' };
const gateways: ResourceType = { group: 'gateway.networking.k8s.io', version: 'v1', plural: 'gateways' };
/** Where the objects are that are made for a Gateway. */
const inSystem = (key: string) => {
  const { namespace = '', name = '' } = placeOf(key, systemNamespace) ?? {};
  return { namespace, name };
};
const victim = inSystem('team-b/edge');

const world = `
{apiVersion: rbac.authorization.k8s.io/v1, kind: Role, metadata: {name: all, namespace: team-a}, rules: [{apiGroups: ["*"], resources: ["*"], verbs: ["*"]}]}
---
{apiVersion: rbac.authorization.k8s.io/v1, kind: RoleBinding, metadata: {name: all, namespace: team-a}, roleRef: {apiGroup: rbac.authorization.k8s.io, kind: Role, name: all}, subjects: [{apiGroup: rbac.authorization.k8s.io, kind: User, name: mallory}]}
---
{apiVersion: gateway.networking.k8s.io/v1, kind: GatewayClass, metadata: {name: gatewright}, spec: {controllerName: gatewright.dev/gateway-controller}}
---
{apiVersion: gateway.networking.k8s.io/v1, kind: Gateway, metadata: {name: edge, namespace: team-b}, spec: {gatewayClassName: gatewright, listeners: [{name: http, port: 80, protocol: HTTP}]}}
---
{apiVersion: v1, kind: Secret, metadata: {name: tls, namespace: team-c}, type: kubernetes.io/tls, stringData: {tls.crt: MARKSECRET, tls.key: MARKSECRET}}
---
{apiVersion: gateway.networking.k8s.io/v1, kind: ReferenceGrant, metadata: {name: careless, namespace: team-c}, spec: {from: [{group: gateway.networking.k8s.io, kind: Gateway, namespace: team-a}], to: [{group: "", kind: Secret}]}}
`;

test.before(async (t) => {
  t.timeout(patient);
  const account = accountIn(systemNamespace);
  const kube = await startAuditedKube({ users: [account, 'mallory'] });
  t.context.kube = kube;
  const { api } = kube;
  for (const plural of ['gatewayclasses', 'gateways', 'httproutes', 'referencegrants'])
    await api.installCrd(`${plural}.gateway.networking.k8s.io`);
  await api.installCrd('dataplanes.gatewright.dev', 'own');
  for (const name of [systemNamespace, 'team-a', 'team-b', 'team-c'])
    await api.apply(`{apiVersion: v1, kind: Namespace, metadata: {name: ${name}}}`);
  await api.apply(world);
  const objects = await kustomized('overlays/namespaced-system-proxies');
  await applyAll(api, rightsOf(objects));
  t.context.mallory = new KubeClient(api.kubeConfigOf('mallory'));
  t.context.install = await startShipped(api, objects);
  await until('the victim’s proxies', () => api.client.find(deployments, victim));
});
test.after.always(async (t) => {
  t.context.mallory?.close();
  await t.context.install?.stop();
  await t.context.kube?.stop();
});

/** Mallory's own doing, with nothing but her rights. */
async function doAsMallory({ context }: T, object: object): Promise<KubernetesObject> {
  return await context.mallory.apply(typeOf(object as KubernetesObject), object as KubernetesObject);
}

const gatewayOf = (name: string, spec: object = {}) => ({
  apiVersion: 'gateway.networking.k8s.io/v1',
  kind: 'Gateway',
  metadata: { name, namespace: 'team-a' },
  spec: { gatewayClassName: 'gatewright', listeners: [{ name: 'http', port: 80, protocol: 'HTTP' }], ...spec },
});

interface Conditions {
  readonly conditions?: readonly {
    readonly type: string;
    readonly status: string;
    readonly reason: string;
    readonly message: string;
  }[];
}

/** What the Gateway's status says about a condition, once it is there with this reason. */
const untilReason = ({ context }: T, name: string, type: string, reason: string): Promise<string> =>
  until(`${type} ${reason} of ${name}`, async () => {
    const { status: reported } = await context.kube.api.client.get(gateways, { namespace: 'team-a', name });
    const { listeners = [], ...own } = reported as Conditions & { readonly listeners?: readonly Conditions[] };
    const all = [own, ...listeners].flatMap(({ conditions = [] }) => conditions);
    return all.find((condition) => condition.type === type && condition.reason === reason)?.message;
  });

test('no ReferenceGrant lets a tenant read a Secret of a namespace outside the install', async (t) => {
  t.timeout(patient);
  const tls = { mode: 'Terminate', certificateRefs: [{ name: 'tls', namespace: 'team-c' }] };
  await doAsMallory(t, gatewayOf('thief', { listeners: [{ name: 'tls', port: 443, protocol: 'HTTPS', tls }] }));
  const message = await untilReason(t, 'thief', 'ResolvedRefs', 'RefNotPermitted');
  t.regex(message, /namespace team-c, which is outside of what this install reads/);
  const calls = await t.context.kube.callsOf(accountIn(systemNamespace));
  const outside = calls.filter(
    ({ requestURI, objectRef }) => objectRef?.namespace === 'team-c' || /\/api\/v1\/secrets\b/.test(requestURI),
  );
  t.deepEqual(
    outside.map(({ requestURI }) => requestURI),
    [],
    'nothing was even asked for',
  );
});

test('a ServiceAccount that is called like that of a proxy, in the tenant’s namespace, is no proxy', async (t) => {
  t.timeout(patient);
  const { client } = t.context.kube.api;
  const own = placeOf('team-b/edge')?.name ?? '';
  const bundle = await until('the trust bundle', () =>
    client.find<KubernetesObject & { data: Record<string, string> }>(core('configmaps'), victim),
  );
  for (const name of [victim.name, own, 'gatewright']) {
    await doAsMallory(t, { apiVersion: 'v1', kind: 'ServiceAccount', metadata: { name, namespace: 'team-a' } });
    const { status: issued } = await t.context.mallory.json<{ status: { token: string } }>({
      method: 'POST',
      path: `/api/v1/namespaces/team-a/serviceaccounts/${name}/token`,
      body: JSON.stringify({
        apiVersion: 'authentication.k8s.io/v1',
        kind: 'TokenRequest',
        spec: { audiences: ['gatewright-xds'], expirationSeconds: 600 },
      }),
    });
    for (const cluster of ['team-b/edge', `team-a/${name.replace('gatewright-', '')}`]) {
      const stranger = new DeltaClient({
        target: t.context.install.control.ports.xds,
        nodeId: 'stranger',
        cluster,
        credentials: trusting({ certificate: bundle.data['ca.crt'] ?? '' }),
        token: issued.token,
      });
      t.teardown(() => stranger.close());
      stranger.subscribe(typeUrls.listener);
      const end = await stranger.ended;
      t.is(end.code, status.PERMISSION_DENIED, `${name} as ${cluster}`);
      t.regex(end.details, /run as gatewright-system\//);
    }
  }
});

test('a tenant’s Gateway takes over and deletes nothing that was there under the names of its objects', async (t) => {
  t.timeout(patient);
  const { api } = t.context.kube;
  const place = inSystem('team-a/taken');
  const labels = { 'app.kubernetes.io/managed-by': 'gatewright' };
  const marks = { 'gatewright.dev/gateway': 'team-a/taken' };
  const data = { 'ca.crt': 'theirs' };
  // Of people, of another controller, and of another Gateway.
  const there = [
    { apiVersion: 'v1', kind: 'ServiceAccount', metadata: { ...place } },
    {
      apiVersion: 'v1',
      kind: 'ConfigMap',
      metadata: { ...place, labels, annotations: { ...marks, 'gatewright.dev/controller': 'example.com/other' } },
      data,
    },
    {
      apiVersion: 'v1',
      kind: 'Service',
      metadata: { ...place, labels, annotations: { 'gatewright.dev/gateway': 'team-b/edge' } },
      spec: { ports: [{ port: 5432 }] },
    },
  ];
  await applyAll(api, there as unknown as KubernetesObject[]);
  const versions = async () =>
    Promise.all(
      there.map(
        async (object) =>
          (await api.client.get(typeOf(object as unknown as KubernetesObject), place)).metadata.resourceVersion,
      ),
    );
  const before = await versions();
  await doAsMallory(t, gatewayOf('taken'));
  const message = await until('the Gateway to say so', async () => {
    const { status: reported } = await api.client.get(gateways, { namespace: 'team-a', name: 'taken' });
    return (reported as Conditions).conditions?.find(({ message }) => message.includes('was not made for this Gateway'))
      ?.message;
  });
  for (const kind of ['ServiceAccount', 'ConfigMap', 'Service'])
    t.true(message.includes(`${kind} ${place.name} exists`));
  await t.context.mallory.delete(gateways, { namespace: 'team-a', name: 'taken' });
  await until('its Deployment to go', async () => (await api.client.find(deployments, place)) === undefined);
  t.deepEqual(await versions(), before);
});

test('labels that a tenant asks for bring its pods behind no Service of others', async (t) => {
  t.timeout(patient);
  const { client } = t.context.kube.api;
  const labels = {
    'gatewright.dev/gateway-namespace': 'team-b',
    'gatewright.dev/gateway-class': 'gatewright',
    'gateway.networking.k8s.io/gateway-name': 'edge',
    'app.kubernetes.io/name': 'gatewright',
    'app.kubernetes.io/component': 'control-plane',
    team: 'mallory',
  };
  await doAsMallory(t, gatewayOf('bait', { infrastructure: { labels } }));
  const place = inSystem('team-a/bait');
  const { spec } = await until('the Deployment', () => client.find<KubernetesObject>(deployments, place));
  const pod = (spec as { template: { metadata: { labels: Record<string, string> } } }).template.metadata.labels;
  t.is(pod.team, 'mallory');
  const selects = (selector: Record<string, string>) =>
    Object.entries(selector).every(([name, value]) => pod[name] === value);
  const made = await client.list(core('services'), { namespace: systemNamespace });
  const shipped = (await kustomized('manifests')).filter(({ kind }) => kind === 'Service');
  const selected = [...made, ...shipped]
    .filter((service) => selects((service.spec as { selector?: Record<string, string> }).selector ?? { none: 'none' }))
    .map(({ metadata }) => metadata.name);
  t.deepEqual(selected, [place.name], 'its own, and no other');
  const shared = placeOf(`${systemNamespace}/class:gatewright`, systemNamespace);
  t.false(selects(shared?.selector ?? {}), 'and were not behind proxies that a class shares');
});

test('a tenant’s DataPlane chooses no image, no container, no node and no Secret for the system’s namespace', async (t) => {
  t.timeout(patient);
  const { client } = t.context.kube.api;
  const parametersRef = { group: 'gatewright.dev', kind: 'DataPlane', name: 'own' };
  const podPatch = { containers: [{ name: 'own', image: 'evil/image:1' }], volumes: [{ name: 'ca', secret: {} }] };
  const desired = {
    image: 'evil/image:1',
    cache: { encryptionKeyRef: { name: 'gatewright-xds-ca' } },
    workload: 'DaemonSet',
    priorityClassName: 'system-node-critical',
    podPatch,
    metrics: { sinks: [{ otlp: { host: '169.254.169.254' } }] },
  };
  const dataPlane = (spec: object) => ({
    apiVersion: 'gatewright.dev/v1alpha1',
    kind: 'DataPlane',
    metadata: { name: 'own', namespace: 'team-a' },
    spec,
  });
  await doAsMallory(t, dataPlane(desired));
  await doAsMallory(t, gatewayOf('chooser', { infrastructure: { parametersRef } }));
  const message = await untilReason(t, 'chooser', 'Accepted', 'InvalidParameters');
  t.regex(
    message,
    /sets image, workload, priorityClassName, podPatch, metrics, cache\.encryptionKeyRef, which only the DataPlane of a GatewayClass may/,
  );
  const place = inSystem('team-a/chooser');
  t.is(await client.find(deployments, place), undefined);
  // Server-side apply takes back what is left out.
  await doAsMallory(t, dataPlane({ replicas: 2 }));
  const { spec } = await until('the Deployment', () => client.find<KubernetesObject>(deployments, place));
  t.like(spec as object, { replicas: 2, template: { spec: { containers: [{ image: 'gatewright:test' }] } } });
});

test('mallory has no rights outside of her namespace, or these tests would show nothing', async (t) => {
  t.timeout(patient);
  const { mallory } = t.context;
  for (const namespace of [systemNamespace, 'team-b', 'team-c'])
    await t.throwsAsync(mallory.list(core('secrets'), { namespace }), { message: /forbidden/ });
});
