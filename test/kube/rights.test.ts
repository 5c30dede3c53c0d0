import anyTest, { type ExecutionContext, type TestFn } from 'ava';
import { type InstallScope, neededRights, type Right, rightText } from '../../src/cli/precheck/rights.ts';
import { typeUrls } from '../../src/envoy/index.ts';
import type { KubernetesObject } from '../../src/gateway-api/index.ts';
import { placeOf } from '../../src/infrastructure/index.ts';
import type { ResourceType } from '../../src/kube/index.ts';
import { type AuditedKube, startAuditedKube } from '../support/audited-kube.ts';
import { DeltaClient } from '../support/grpc.ts';
import { isAllowed } from '../support/kube-apiserver/access-review.ts';
import { setProxyPods } from '../support/proxy-pods.ts';
import {
  accountIn,
  applyAll,
  deleteAll,
  kustomized,
  renamed,
  rightsOf,
  type ShippedInstall,
  startShipped,
  systemNamespace,
} from '../support/shipped-install.ts';
import { until, untilFits } from '../support/until.ts';
import { trusting } from '../support/xds-tls.ts';

// Each way to install that is shipped, with exactly the rights that it ships: it does its work, and asks for nothing that it may not.

const test = anyTest as TestFn<{ kube: AuditedKube }>;
const patient = 900_000;
const other = 'other-system';
const deployments: ResourceType = { group: 'apps', version: 'v1', plural: 'deployments' };
const services: ResourceType = { group: '', version: 'v1', plural: 'services' };
const serviceAccounts: ResourceType = { group: '', version: 'v1', plural: 'serviceaccounts' };
const configMaps: ResourceType = { group: '', version: 'v1', plural: 'configmaps' };
const gateways: ResourceType = { group: 'gateway.networking.k8s.io', version: 'v1', plural: 'gateways' };
const routes: ResourceType = { group: 'gateway.networking.k8s.io', version: 'v1', plural: 'httproutes' };
const managed = 'app.kubernetes.io/managed-by=gatewright';

type T = ExecutionContext<{ kube: AuditedKube }>;

test.before(async (t) => {
  t.timeout(patient);
  const kube = await startAuditedKube({ users: [accountIn(systemNamespace), accountIn(other)] });
  t.context.kube = kube;
  const { api } = kube;
  for (const plural of ['gatewayclasses', 'gateways', 'httproutes', 'referencegrants'])
    await api.installCrd(`${plural}.gateway.networking.k8s.io`);
  await api.installCrd('dataplanes.gatewright.dev', 'own');
  for (const name of [systemNamespace, other, 'team-a', 'team-b', 'team-c'])
    await api.apply(`{apiVersion: v1, kind: Namespace, metadata: {name: ${name}, labels: {team: ${name}}}}`);
  for (const name of [systemNamespace, other])
    await api.apply(`{apiVersion: v1, kind: Secret, metadata: {name: gatewright-settings, namespace: ${name}}}`);
});
test.after.always(async (t) => {
  await t.context.kube?.stop();
});

/** A Gateway and its routes in a namespace: one to a Service there, one to a Service of team-c, where a grant allows it. */
const worldOf = (namespace: string, gatewayClass = 'gatewright'): string => `
{apiVersion: gateway.networking.k8s.io/v1, kind: Gateway, metadata: {name: edge, namespace: ${namespace}}, spec: {gatewayClassName: ${gatewayClass}, listeners: [{name: http, port: 80, protocol: HTTP, allowedRoutes: {namespaces: {from: Selector, selector: {matchLabels: {team: ${namespace}}}}}}]}}
---
{apiVersion: v1, kind: Service, metadata: {name: shop, namespace: ${namespace}}, spec: {ports: [{port: 80}]}}
---
{apiVersion: gateway.networking.k8s.io/v1, kind: HTTPRoute, metadata: {name: own, namespace: ${namespace}}, spec: {parentRefs: [{name: edge}], rules: [{backendRefs: [{name: shop, port: 80}]}]}}
---
{apiVersion: gateway.networking.k8s.io/v1, kind: HTTPRoute, metadata: {name: across, namespace: ${namespace}}, spec: {parentRefs: [{name: edge}], hostnames: [across.test], rules: [{backendRefs: [{name: shop, namespace: team-c, port: 80}]}]}}
`;

const grant = `{apiVersion: gateway.networking.k8s.io/v1, kind: ReferenceGrant, metadata: {name: all, namespace: team-c}, spec: {from: [{group: gateway.networking.k8s.io, kind: HTTPRoute, namespace: team-a}, {group: gateway.networking.k8s.io, kind: HTTPRoute, namespace: team-b}], to: [{group: "", kind: Service}]}}`;

const classOf = (name: string, controller: string): string =>
  `{apiVersion: gateway.networking.k8s.io/v1, kind: GatewayClass, metadata: {name: ${name}}, spec: {controllerName: ${controller}}}`;

const teams = ['team-a', 'team-b', 'team-c'] as const;

/** All of it goes with the test, and so do what is made for it and the rights. */
async function setUp(t: T, objects: readonly KubernetesObject[], scope: InstallScope): Promise<void> {
  const { api } = t.context.kube;
  const made = [
    ...(await api.apply(classOf('gatewright', 'gatewright.dev/gateway-controller'))),
    ...(await api.apply(grant)),
    ...(await Promise.all(teams.map((team) => api.apply(worldOf(team))))).flat(),
  ];
  await applyAll(api, rightsOf(objects));
  await untilGranted(t, accountIn(systemNamespace), scope);
  t.teardown(async () => {
    await deleteAll(api, [...made, ...rightsOf(objects)]);
    // Of a test that failed on the way.
    for (const type of [deployments, services, serviceAccounts, configMaps])
      for (const { metadata } of await api.client.list(type, { labelSelector: managed }))
        await api.client.delete(type, metadata);
  });
}

/** The API server hears of a binding a moment after it is there. */
const untilGranted = (t: T, user: string, scope: InstallScope) =>
  untilFits(
    'all that the code asks for to be granted',
    () => missing(t, user, neededRights(scope)),
    (rights) => rights.length === 0,
  );

/** A control plane that ends with the test, its last proxies included. */
async function start(t: T, objects: readonly KubernetesObject[], system = systemNamespace): Promise<ShippedInstall> {
  const install = await startShipped(t.context.kube.api, objects, system);
  t.teardown(() => install.stop());
  return install;
}

const conditionsOf = (object: KubernetesObject | undefined): Record<string, string> => {
  const { conditions, parents } = (object?.status ?? {}) as {
    readonly conditions?: readonly { readonly type: string; readonly status: string; readonly reason: string }[];
    readonly parents?: readonly { readonly conditions: typeof conditions }[];
  };
  const all = parents === undefined ? conditions : parents.flatMap((parent) => parent.conditions ?? []);
  return Object.fromEntries((all ?? []).map(({ type, status, reason }) => [type, `${status} ${reason}`]));
};

/** A token as the kubelet gets it for a pod. */
async function tokenOf({ context }: T, namespace: string, name: string): Promise<string> {
  const { status } = await context.kube.api.client.json<{ status: { token: string } }>({
    method: 'POST',
    path: `/api/v1/namespaces/${namespace}/serviceaccounts/${name}/token`,
    body: JSON.stringify({
      apiVersion: 'authentication.k8s.io/v1',
      kind: 'TokenRequest',
      spec: { audiences: ['gatewright-xds'], expirationSeconds: 600 },
    }),
  });
  return status.token;
}

/** Which of some rights a user lacks, as the API server says. */
async function missing(t: T, user: string, rights: readonly Right[]): Promise<string[]> {
  const answers = rights.map(async ({ resource, ...rest }) => {
    const [plural, subresource] = resource.split('/');
    const spec = { user, resourceAttributes: { ...rest, resource: plural, ...(subresource && { subresource }) } };
    return (await isAllowed(t.context.kube.api.client, spec)) ? [] : [rightText({ resource, ...rest })];
  });
  return (await Promise.all(answers)).flat();
}

interface Mode {
  readonly folder: string;
  readonly scope: InstallScope;
  readonly read: readonly string[];
  /** What it may not do, for sure. */
  readonly beyond: readonly Right[];
}

const list = (resource: string, namespace?: string): Right => ({
  verb: 'list',
  group: '',
  resource,
  ...(namespace && { namespace }),
});
const create = (resource: string, group: string, namespace: string): Right => ({
  verb: 'create',
  group,
  resource,
  namespace,
});
const writing = (namespace: string): Right[] => [
  create('deployments', 'apps', namespace),
  create('services', '', namespace),
  create('serviceaccounts', '', namespace),
  create('configmaps', '', namespace),
  { verb: 'delete', group: 'apps', resource: 'deployments', namespace },
];
const ownNamespace = systemNamespace;
const limited = ['team-a', 'team-b'];
const foreign = [
  list('secrets'),
  list('secrets', 'team-c'),
  list('gateways', 'team-c'),
  list('secrets', 'kube-system'),
];

const modes: Readonly<Record<string, Mode>> = {
  'an install for the whole cluster': {
    folder: 'manifests',
    scope: { ownNamespace },
    read: teams,
    beyond: [list('nodes'), { verb: 'update', group: 'apps', resource: 'deployments', namespace: 'team-a' }],
  },
  'an install limited to two namespaces': {
    folder: 'overlays/namespaced',
    scope: { ownNamespace, namespaces: limited },
    read: limited,
    beyond: [...foreign, ...writing('team-c'), list('namespaces')],
  },
  'an install whose proxies run in the system’s namespace': {
    folder: 'overlays/system-proxies',
    scope: { ownNamespace, proxiesNamespace: systemNamespace },
    read: teams,
    beyond: teams.flatMap(writing),
  },
  'an install limited to two namespaces, whose proxies run in the system’s': {
    folder: 'overlays/namespaced-system-proxies',
    scope: { ownNamespace, namespaces: limited, proxiesNamespace: systemNamespace },
    read: limited,
    beyond: [...foreign, ...teams.flatMap(writing)],
  },
};

for (const [name, { folder, scope, read, beyond }] of Object.entries(modes)) {
  test.serial(
    `${name} serves its Gateways with the rights that it ships, and asks for nothing that it may not`,
    async (t) => {
      t.timeout(patient);
      const { kube } = t.context;
      const { api } = kube;
      const user = accountIn(systemNamespace);
      const before = (await kube.callsOf(user)).length;
      const objects = await kustomized(folder);
      await setUp(t, objects, scope);
      // Nor does it hear at once that what another install had is gone.
      await untilFits(
        'what is beyond it not to be granted',
        () => missing(t, user, beyond),
        (rights) => rights.length === beyond.length,
      );
      const install = await start(t, objects);

      for (const team of read) {
        const place = placeOf(`${team}/edge`, scope.proxiesNamespace);
        if (!place) throw new Error('no place');
        await until(`the Deployment for ${team}: ${install.log()}`, () => api.client.find(deployments, place));
        await setProxyPods(api, place);
        await api.client.patchStatus(services, place, { status: { loadBalancer: { ingress: [{ ip: '192.0.2.7' }] } } });
        const bundle = await until('the trust bundle', () =>
          api.client.find<KubernetesObject & { data: Record<string, string> }>(configMaps, place),
        );
        await until('the ServiceAccount', () => api.client.find(serviceAccounts, place));
        const client = new DeltaClient({
          target: install.control.ports.xds,
          nodeId: `proxy-of-${team}`,
          cluster: `${team}/edge`,
          credentials: trusting({ certificate: bundle.data['ca.crt'] ?? '' }),
          token: await tokenOf(t, place.namespace, place.name),
        });
        t.teardown(() => client.close());
        client.subscribe(typeUrls.listener);
        t.deepEqual(
          (await client.take(typeUrls.listener)).resources.map((resource) => resource.name),
          ['http/80'],
        );
        const status = await until(`the status of the Gateway of ${team}`, async () => {
          const gateway = await api.client.get(gateways, { namespace: team, name: 'edge' });
          return conditionsOf(gateway).Programmed === 'True Programmed' && gateway.status;
        });
        t.like(status, { addresses: [{ value: '192.0.2.7' }] });
        const route = async (routeName: string) =>
          conditionsOf(await api.client.get(routes, { namespace: team, name: routeName }));
        await until('the status of the route', async () => (await route('own')).ResolvedRefs === 'True ResolvedRefs');
        t.like(await route('own'), { Accepted: 'True Accepted' }, 'labels of the Namespace are known');
        const across =
          team === 'team-c' || scope.namespaces === undefined ? 'True ResolvedRefs' : 'False RefNotPermitted';
        await until(`the route across: ${across}`, async () => (await route('across')).ResolvedRefs === across);
      }

      const made = await api.client.list(deployments, { labelSelector: managed });
      const expected = read.map((team) => placeOf(`${team}/edge`, scope.proxiesNamespace));
      t.deepEqual(
        made.map(({ metadata }) => `${metadata.namespace}/${metadata.name}`).sort(),
        expected.map((place) => `${place?.namespace}/${place?.name}`).sort(),
        'and for no Gateway that is not read',
      );
      if (!read.includes('team-c')) {
        const unread = await api.client.get(gateways, { namespace: 'team-c', name: 'edge' });
        t.like(conditionsOf(unread), { Programmed: 'Unknown Pending' }, 'nothing is said of what is not read');
      }
      await askAdmin(t, install, read);

      await api.client.delete(gateways, { namespace: 'team-a', name: 'edge' });
      await until('what was made for it to go', async () => {
        const left = await api.client.list(deployments, { labelSelector: managed });
        return left.length === read.length - 1;
      });
      await api.apply(worldOf('team-a'));
      const calls = (await kube.callsOf(user)).slice(before);
      t.true(calls.length > 50, 'calls are written down');
      const rejected = calls.filter(
        ({ responseStatus }) => responseStatus?.code === 403 || responseStatus?.code === 401,
      );
      t.deepEqual(
        rejected.map(({ verb, requestURI }) => `${verb} ${requestURI}`),
        [],
        'no call is rejected',
      );
      for (const gateway of read) await api.client.delete(gateways, { namespace: gateway, name: 'edge' });
      await until(
        'the rest to go',
        async () => (await api.client.list(deployments, { labelSelector: managed })).length === 0,
      );
    },
  );
}

const madeFor = async (t: T): Promise<string[]> => {
  const objects = await t.context.kube.api.client.list(deployments, { labelSelector: managed });
  return objects.map(({ metadata }) => metadata.annotations?.['gatewright.dev/gateway'] ?? '').sort();
};

const untilMadeFor = (t: T, ...expected: string[]) =>
  until(
    `Deployments for ${expected.join(', ') || 'no user'}`,
    async () => String(await madeFor(t)) === String(expected),
  );

/** Takes rights in team-b away, and waits until the API server acts on it. */
async function takeAway(t: T, granted: readonly KubernetesObject[]): Promise<void> {
  await deleteAll(t.context.kube.api, granted);
  const rights = ['secrets', 'services', 'configmaps'].map((resource) => list(resource, 'team-b'));
  const user = accountIn(systemNamespace);
  await until('them to be gone', async () => (await missing(t, user, rights)).length === rights.length);
}

/** What is granted in one namespace. */
const of = (objects: readonly KubernetesObject[], namespace: string): KubernetesObject[] =>
  rightsOf(objects).filter(({ metadata }) => metadata.namespace === namespace);

test.serial(
  'a namespace whose Role is missing is waited for, without a restart, while the others are served',
  async (t) => {
    t.timeout(patient);
    const { api } = t.context.kube;
    const objects = await kustomized('overlays/namespaced');
    await setUp(t, objects, { ownNamespace, namespaces: limited });
    await takeAway(t, of(objects, 'team-b'));
    const install = await start(t, objects);
    await untilMadeFor(t, 'team-a/edge');
    const { warnings } = (await install.json('/v1/summary')) as { warnings: { code: string; message: string }[] };
    const [warning] = warnings.filter(({ code }) => code === 'namespace_unreadable');
    t.regex(warning?.message ?? '', /^namespace team-b cannot be read.*forbidden/);
    const metric = async () => {
      const text = await (await fetch(`http://127.0.0.1:${install.control.ports.metrics}/metrics`)).text();
      return /^gatewright_namespace_readable\{namespace="team-b"\} (\d)$/m.exec(text)?.[1];
    };
    t.is(await metric(), '0');
    const lines = install
      .log()
      .split('\n')
      .filter((line) => line.includes('team-b') && line.includes('cannot be read'));
    t.is(lines.length, 1, 'it is said once');

    await applyAll(api, of(objects, 'team-b'));
    await untilMadeFor(t, 'team-a/edge', 'team-b/edge');
    await until('the warning to go', async () => (await metric()) === '1');
    await api.client.delete(gateways, { namespace: 'team-a', name: 'edge' });
    await api.client.delete(gateways, { namespace: 'team-b', name: 'edge' });
    await untilMadeFor(t);
  },
);

test.serial(
  'what was made for a Gateway that went while we were away goes, but not for one that cannot be read now',
  async (t) => {
    t.timeout(patient);
    const { api } = t.context.kube;
    const objects = await kustomized('overlays/namespaced-system-proxies');
    await setUp(t, objects, { ownNamespace, namespaces: limited, proxiesNamespace: systemNamespace });
    const before = await startShipped(api, objects);
    await untilMadeFor(t, 'team-a/edge', 'team-b/edge');
    await before.stop();
    const foreign = await api.apply(
      `{apiVersion: v1, kind: ConfigMap, metadata: {name: not-ours, namespace: ${systemNamespace}, labels: {app.kubernetes.io/managed-by: gatewright}, annotations: {gatewright.dev/gateway: team-a/edge}}}`,
    );
    t.teardown(() => deleteAll(api, foreign));

    await api.client.delete(gateways, { namespace: 'team-a', name: 'edge' });
    await takeAway(t, of(objects, 'team-b'));
    const install = await start(t, objects);
    await untilMadeFor(t, 'team-b/edge');
    t.not(await api.client.find(configMaps, { namespace: systemNamespace, name: 'not-ours' }), undefined);

    await api.client.delete(gateways, { namespace: 'team-b', name: 'edge' });
    await applyAll(api, of(objects, 'team-b'));
    await untilMadeFor(t);
    t.regex(install.log(), /the namespace can be read/);
  },
);

test.serial(
  'two installs side by side, one of them for the whole cluster, leave each other’s proxies alone',
  async (t) => {
    t.timeout(patient);
    const { kube } = t.context;
    const { api } = kube;
    const wide = await kustomized('manifests');
    const narrow = renamed(await kustomized('overlays/namespaced'), other, 'other');
    await setUp(t, wide, { ownNamespace });
    await applyAll(api, rightsOf(narrow));
    t.teardown(() => deleteAll(api, rightsOf(narrow)));
    t.teardown(async () => deleteAll(api, await api.apply(classOf('other', `gatewright.dev/${other}`))));
    await api.apply(classOf('other', `gatewright.dev/${other}`));
    await api.client.delete(gateways, { namespace: 'team-b', name: 'edge' });
    await api.apply(worldOf('team-b', 'other'));
    const before = (await kube.callsOf(accountIn(other))).length;
    const first = await start(t, wide);
    await untilMadeFor(t, 'team-a/edge', 'team-c/edge');
    await start(t, narrow, other);
    await untilMadeFor(t, 'team-a/edge', 'team-b/edge', 'team-c/edge');
    const [theirs] = await api.client.list(deployments, { namespace: 'team-b', labelSelector: managed });
    t.is(theirs?.metadata.annotations?.['gatewright.dev/controller'], `gatewright.dev/${other}`);

    // A sweep of the one, and a deletion that the other has to carry out itself.
    await first.stop();
    await api.client.delete(gateways, { namespace: 'team-c', name: 'edge' });
    await start(t, wide);
    await untilMadeFor(t, 'team-a/edge', 'team-b/edge');
    await api.client.delete(gateways, { namespace: 'team-b', name: 'edge' });
    await untilMadeFor(t, 'team-a/edge');
    await api.client.delete(gateways, { namespace: 'team-a', name: 'edge' });
    await untilMadeFor(t);
    const rejected = (await kube.callsOf(accountIn(other)))
      .slice(before)
      .filter(({ responseStatus }) => responseStatus?.code === 403);
    t.deepEqual(
      rejected.map(({ requestURI }) => requestURI),
      [],
    );
  },
);

test.serial(
  'proxies that leave the system’s namespace stay there until those in the Gateway’s own serve',
  async (t) => {
    t.timeout(patient);
    const { api } = t.context.kube;
    const wide = await kustomized('manifests');
    await setUp(t, wide, { ownNamespace });
    for (const team of ['team-b', 'team-c']) await api.client.delete(gateways, { namespace: team, name: 'edge' });
    const common = await startShipped(api, await kustomized('overlays/system-proxies'));
    await untilMadeFor(t, 'team-a/edge');
    await common.stop();
    await start(t, wide);
    await untilMadeFor(t, 'team-a/edge', 'team-a/edge');
    const place = { namespace: 'team-a', name: 'gatewright-edge' };
    t.deepEqual((await madeFor(t)).length, 2);
    await setProxyPods(api, place);
    t.is((await madeFor(t)).length, 2, 'they have no address yet');
    await api.client.patchStatus(services, place, { status: { loadBalancer: { ingress: [{ ip: '192.0.2.8' }] } } });
    await untilMadeFor(t, 'team-a/edge');
    t.not(await api.client.find(deployments, place), undefined);
    // All of them are deleted at the same time.
    await untilFits(
      'the former Services to be gone',
      () => api.client.list(services, { namespace: systemNamespace, labelSelector: managed }),
      ({ length }) => length === 0,
    );
    await api.client.delete(gateways, { namespace: 'team-a', name: 'edge' });
    await untilMadeFor(t);
  },
);

/** What the admin API asks the API server itself. */
async function askAdmin(t: T, install: ShippedInstall, read: readonly string[]): Promise<void> {
  const infrastructure = (await install.json('/v1/infrastructure')) as { warnings: unknown[] };
  t.deepEqual(infrastructure.warnings, []);
  const routesRead = (await install.json('/v1/resources?kind=HTTPRoute')) as readonly { readonly namespace: string }[];
  t.deepEqual([...new Set(routesRead.map(({ namespace }) => namespace))].sort(), [...read]);
  const summary = (await install.json('/v1/summary')) as { warnings: { code: string }[] };
  t.false(summary.warnings.some(({ code }) => code === 'namespace_unreadable'));
}
