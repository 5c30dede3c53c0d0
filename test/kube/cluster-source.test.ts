import anyTest, { type TestFn } from 'ava';
import { kinds, kindsRead } from '../../src/gateway-api/index.ts';
import { type InformerHooks, type InformerTiming, KubeClient, type RestartReason } from '../../src/kube/index.ts';
import { ClusterSource, ClusterStartError } from '../../src/sources/index.ts';
import { KubeApiServer } from '../support/kube-apiserver.ts';
import { SourceRecorder } from '../support/source-recorder.ts';
import { TcpProxy } from '../support/tcp-proxy.ts';

const test = anyTest as TestFn<{ api: KubeApiServer }>;

test.before(async (t) => {
  t.context.api = await KubeApiServer.start({ crds: 'standard', users: ['stranger', 'reader'] });
});
test.after.always(async (t) => {
  await t.context.api?.stop();
});

// A restart of the API server, definitions and all, takes this long where tests share few cores.
const restartMs = 300_000;

/** A source that reads through a proxy, running until the end of the test. */
class Follower implements AsyncDisposable {
  readonly reported = new SourceRecorder();
  readonly restarts: RestartReason[] = [];
  readonly proxy: TcpProxy;
  readonly source: ClusterSource;
  readonly #client: KubeClient;
  readonly #stopping = new AbortController();
  readonly #running: Promise<void>;

  private constructor(api: KubeApiServer, proxy: TcpProxy, timing: Partial<InformerTiming>) {
    this.proxy = proxy;
    const kubeConfig = api.kubeConfigOf('admin', `https://127.0.0.1:${proxy.port}`);
    this.#client = new KubeClient(kubeConfig, { http2: { restMs: 1_000, pingMs: 1_000 } });
    const hooks: InformerHooks = {
      restarted: (_, reason) => {
        this.restarts.push(reason);
        this.reported.notify();
      },
      stateChanged: () => this.reported.notify(),
      handlerFailed: (_, error) => {
        throw error;
      },
    };
    this.source = new ClusterSource({
      config: { kubeConfig, origin: 'the test' },
      client: this.#client,
      hooks,
      timing: { retryBaseMs: 20, retryMaxMs: 200, missingMaxMs: 200, ...timing },
    });
    this.#running = this.source.run(this.reported, this.#stopping.signal);
  }

  /** Starts, and waits until every kind is in and watched. */
  static async start(api: KubeApiServer, timing: Partial<InformerTiming> = {}): Promise<Follower> {
    const follower = new Follower(api, await TcpProxy.start(api.port), timing);
    await Promise.race([follower.fresh(), follower.#running]);
    return follower;
  }

  async fresh(): Promise<void> {
    const all = kindsRead().length;
    await this.reported.until(
      'every kind is watched',
      () => this.reported.syncedKinds.length === all && this.source.fresh,
    );
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#stopping.abort();
    await this.#running;
    this.#client.close();
    await this.proxy[Symbol.asyncDispose]();
  }
}

const namespaced = (kind: string, name: string, namespace: string, body: string): string =>
  `apiVersion: gateway.networking.k8s.io/v1\nkind: ${kind}\nmetadata: {name: ${name}, namespace: ${namespace}}\n${body}\n---\n`;
const routeIn = (namespace: string, name: string, hostname = 'a.example'): string =>
  namespaced('HTTPRoute', name, namespace, `spec: {hostnames: [${hostname}]}`);
const namespaceOf = (name: string): string => `apiVersion: v1\nkind: Namespace\nmetadata: {name: ${name}}\n---\n`;
const ref = (name: string, namespace: string) => ({ name, namespace });

test.serial('reports what is there, then every change, and only what is needed of it', async (t) => {
  const { api } = t.context;
  await api.apply(`${namespaceOf('basics')}${routeIn('basics', 'before')}`);
  await api.client.create(kinds.Secret, {
    apiVersion: 'v1',
    kind: 'Secret',
    metadata: { name: 'tls', namespace: 'basics' },
    stringData: { 'ca.crt': 'x', password: 'hunter2' },
  } as never);
  await using follower = await Follower.start(api);
  const { reported } = follower;
  t.deepEqual(
    [...reported.syncedKinds].sort(),
    kindsRead()
      .map(({ name }) => name)
      .sort(),
  );
  t.deepEqual(Object.keys((reported.objects.get('Secret basics/tls') as { data?: object } | undefined)?.data ?? {}), [
    'ca.crt',
  ]);
  t.false([...reported.objects.values()].some((object) => 'managedFields' in object.metadata));
  await api.apply(routeIn('basics', 'before', 'b.example'));
  await api.apply(routeIn('basics', 'after'));
  await api.client.delete(kinds.HTTPRoute, ref('before', 'basics'));
  await reported.until('deleted', () => !reported.objects.has('HTTPRoute basics/before'));
  t.deepEqual(reported.historyOf('HTTPRoute basics/before'), ['added', 'modified', 'deleted']);
  await reported.until('added', () => reported.objects.has('HTTPRoute basics/after'));
  t.like(reported.objects.get('HTTPRoute basics/after'), {
    kind: 'HTTPRoute',
    spec: { hostnames: ['a.example'] },
    metadata: { generation: 1 },
  });
});

test.serial('nothing that happened during a broken connection is lost', async (t) => {
  const { api } = t.context;
  await api.apply(
    `${namespaceOf('broken')}${routeIn('broken', 'removed')}${routeIn('broken', 'changed')}${routeIn('broken', 'replaced')}`,
  );
  await using follower = await Follower.start(api);
  const { reported, proxy } = follower;
  proxy.cut();
  await reported.until(
    'the break is noticed',
    () => follower.restarts.includes('unreachable') && !follower.source.fresh,
  );
  await api.client.delete(kinds.HTTPRoute, ref('removed', 'broken'));
  await api.client.delete(kinds.HTTPRoute, ref('replaced', 'broken'));
  await api.apply(
    `${routeIn('broken', 'changed', 'b.example')}${routeIn('broken', 'replaced')}${routeIn('broken', 'new')}`,
  );
  proxy.heal();
  await reported.until('new', () => reported.objects.has('HTTPRoute broken/new'));
  await follower.fresh();
  t.deepEqual(reported.historyOf('HTTPRoute broken/removed'), ['added', 'deleted']);
  t.deepEqual(reported.historyOf('HTTPRoute broken/replaced'), ['added', 'deleted', 'added']);
  t.deepEqual(reported.historyOf('HTTPRoute broken/changed'), ['added', 'modified']);
});

test.serial(
  'a version that the API server has forgotten: deletions in between are reported all the same',
  async (t) => {
    t.timeout(restartMs);
    const { api } = t.context;
    await api.apply(`${namespaceOf('forgotten')}${routeIn('forgotten', 'removed')}${routeIn('forgotten', 'kept')}`);
    await using follower = await Follower.start(api);
    const { reported, proxy } = follower;
    proxy.cut();
    await api.client.delete(kinds.HTTPRoute, ref('removed', 'forgotten'));
    await api.apply(routeIn('forgotten', 'new'));
    await api.etcd.compact();
    await api.restart();
    proxy.heal();
    await reported.until('new', () => reported.objects.has('HTTPRoute forgotten/new'));
    await reported.until('removed is gone', () => !reported.objects.has('HTTPRoute forgotten/removed'));
    t.true(follower.restarts.includes('expired'));
    t.deepEqual(reported.historyOf('HTTPRoute forgotten/kept'), ['added']);
  },
);

test.serial('a connection that died silently is found by its silence', async (t) => {
  const { api } = t.context;
  await api.apply(`${namespaceOf('frozen')}${routeIn('frozen', 'removed')}`);
  await using follower = await Follower.start(api);
  const { reported, proxy } = follower;
  proxy.freeze();
  await api.client.delete(kinds.HTTPRoute, ref('removed', 'frozen'));
  await reported.until('removed is gone', () => !reported.objects.has('HTTPRoute frozen/removed'));
  t.true(follower.restarts.includes('timeout'));
});

test.serial('an API server that is away for a while comes back', async (t) => {
  t.timeout(restartMs);
  const { api } = t.context;
  await api.apply(`${namespaceOf('away')}${routeIn('away', 'kept')}`);
  await using follower = await Follower.start(api);
  const { reported } = follower;
  await api.pause();
  await reported.until('the break is noticed', () => follower.restarts.length >= 3 * kindsRead().length);
  t.false(follower.source.fresh);
  await api.resume();
  await api.apply(routeIn('away', 'new'));
  await reported.until('new', () => reported.objects.has('HTTPRoute away/new'));
  await follower.fresh();
  t.deepEqual(reported.historyOf('HTTPRoute away/kept'), ['added']);
});

test.serial('a kind whose definition is missing counts as synced, comes alive with it, and goes with it', async (t) => {
  const { api } = t.context;
  const definition = 'referencegrants.gateway.networking.k8s.io';
  const grant = namespaced(
    'ReferenceGrant',
    'g',
    'later',
    'spec: {from: [{group: a.b, kind: X, namespace: n}], to: [{group: "", kind: Service}]}',
  );
  await api.removeCrd(definition);
  await api.apply(namespaceOf('later'));
  await using follower = await Follower.start(api);
  const { reported } = follower;
  t.regex(
    String(reported.missing.get('ReferenceGrant')),
    /does not serve referencegrants\.gateway\.networking\.k8s\.io\/v1: install/,
  );
  await api.installCrd(definition);
  await api.apply(grant);
  await reported.until(
    'the grant',
    () => reported.objects.has('ReferenceGrant later/g') && !reported.missing.has('ReferenceGrant'),
  );
  await api.removeCrd(definition);
  await reported.until(
    'missing again',
    () => reported.missing.has('ReferenceGrant') && !reported.objects.has('ReferenceGrant later/g'),
  );
  t.deepEqual(reported.historyOf('ReferenceGrant later/g'), ['added', 'deleted']);
  await api.installCrd(definition);
  await reported.until('available again', () => !reported.missing.has('ReferenceGrant'));
});

const anySpec = {
  type: 'object',
  properties: { spec: { type: 'object', 'x-kubernetes-preserve-unknown-fields': true } },
};
const definitionType = {
  name: 'CustomResourceDefinition',
  group: 'apiextensions.k8s.io',
  version: 'v1',
  plural: 'customresourcedefinitions',
  namespaced: false,
};

test.serial('Pods are read once XBackend is installed', async (t) => {
  const { api } = t.context;
  const account = 'apiVersion: v1\nkind: ServiceAccount\nmetadata: {name: default, namespace: pods}\n';
  await api.apply(`${namespaceOf('pods')}${account}`);
  await api.client.create(kinds.Pod, {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: { name: 'p', namespace: 'pods', labels: { app: 'a' } },
    spec: { containers: [{ name: 'c', image: 'x' }], automountServiceAccountToken: false },
  } as never);
  await using follower = await Follower.start(api);
  const { reported } = follower;
  t.true(reported.missing.has('XBackend'));
  t.false(reported.objects.has('Pod pods/p'));
  await api.installCrd('xbackends.gateway.networking.x-k8s.io', 'experimental');
  await reported.until('the Pod', () => reported.objects.has('Pod pods/p'));
  t.like(reported.objects.get('Pod pods/p'), { metadata: { labels: { app: 'a' } } });
  await api.removeCrd('xbackends.gateway.networking.x-k8s.io');
});

test.serial('ServiceImports come alive with their definition, and EndpointSlices keep the label', async (t) => {
  const { api } = t.context;
  const { group, version, plural } = kinds.ServiceImport;
  await api.apply(namespaceOf('far'));
  await using follower = await Follower.start(api);
  const { reported } = follower;
  t.regex(String(reported.missing.get('ServiceImport')), /serviceimports\.multicluster\.x-k8s\.io\/v1alpha1: install/);
  await api.client.create(definitionType, {
    apiVersion: 'apiextensions.k8s.io/v1',
    kind: 'CustomResourceDefinition',
    // Groups of k8s.io need an approval, or these words.
    metadata: { name: `${plural}.${group}`, annotations: { 'api-approved.kubernetes.io': 'unapproved, a test' } },
    spec: {
      group,
      scope: 'Namespaced',
      names: { kind: 'ServiceImport', listKind: 'ServiceImportList', plural, singular: 'serviceimport' },
      versions: [{ name: version, served: true, storage: true, schema: { openAPIV3Schema: anySpec } }],
    },
  } as never);
  await reported.until('the kind', () => !reported.missing.has('ServiceImport'));
  await api.client.create(kinds.ServiceImport, {
    apiVersion: `${group}/${version}`,
    kind: 'ServiceImport',
    metadata: { name: 'shop', namespace: 'far' },
    spec: { type: 'ClusterSetIP', ips: ['10.1.2.3'], ports: [{ name: 'http', port: 80, protocol: 'TCP' }] },
  } as never);
  await api.client.create(kinds.EndpointSlice, {
    apiVersion: 'discovery.k8s.io/v1',
    kind: 'EndpointSlice',
    metadata: {
      name: 'shop-1',
      namespace: 'far',
      labels: { 'multicluster.kubernetes.io/service-name': 'shop', a: 'b' },
    },
    addressType: 'IPv4',
    endpoints: [{ addresses: ['10.9.0.1'] }],
    ports: [{ name: 'http', port: 8080 }],
  } as never);
  await reported.until('both', () =>
    ['ServiceImport far/shop', 'EndpointSlice far/shop-1'].every((key) => reported.objects.has(key)),
  );
  t.deepEqual(reported.objects.get('ServiceImport far/shop')?.spec, {
    ports: [{ name: 'http', port: 80, protocol: 'TCP' }],
  });
  t.deepEqual(reported.objects.get('EndpointSlice far/shop-1')?.metadata.labels, {
    'multicluster.kubernetes.io/service-name': 'shop',
  });
  await api.removeCrd(`${plural}.${group}`);
  await reported.until('gone', () => !reported.objects.has('ServiceImport far/shop'));
});

test.serial(
  'only the asked-for namespaces are read, with their own labels, and what is in no namespace whole',
  async (t) => {
    const { api } = t.context;
    await api.apply(`${namespaceOf('mine')}${namespaceOf('also-mine')}${namespaceOf('theirs')}`);
    for (const namespace of ['mine', 'also-mine', 'theirs']) {
      await api.apply(routeIn(namespace, 'r'));
      await api.apply(`{apiVersion: v1, kind: ConfigMap, metadata: {name: kept, namespace: ${namespace}}, data: {}}`);
    }
    const reported = new SourceRecorder();
    const stopping = new AbortController();
    const config = { kubeConfig: api.kubeConfigOf('admin'), origin: 'the test' };
    const running = new ClusterSource({
      config,
      namespaces: ['mine', 'also-mine'],
      also: [{ kind: 'ConfigMap', namespace: 'theirs' }],
    }).run(reported, stopping.signal);
    await reported.until('synced', () => reported.syncedKinds.length === kindsRead().length);
    stopping.abort();
    await running;
    t.deepEqual([...reported.objects.keys()].filter((id) => id.startsWith('HTTPRoute')).sort(), [
      'HTTPRoute also-mine/r',
      'HTTPRoute mine/r',
    ]);
    t.false(reported.objects.has('Namespace theirs'));
    t.true(reported.objects.has('ConfigMap theirs/kept'), 'the kind that is read there as well');
    t.is(new Set(reported.syncedKinds).size, reported.syncedKinds.length);
  },
);

test.serial('Secrets of types that are of no use are not asked for, and stay unknown', async (t) => {
  const { api } = t.context;
  await api.apply(namespaceOf('vault'));
  const secret = (name: string, type: string) =>
    `{apiVersion: v1, kind: Secret, metadata: {name: ${name}, namespace: vault}, type: ${type}, stringData: {token: x, release: y, tls.crt: a, tls.key: b}}\n---\n`;
  const types = {
    release: 'helm.sh/release.v1',
    plain: 'Opaque',
    own: 'example.com/own',
    join: 'bootstrap.kubernetes.io/token',
  };
  await api.apply(
    Object.entries(types)
      .map(([name, type]) => secret(name, type))
      .join(''),
  );
  await using follower = await Follower.start(api);
  const known = [...follower.reported.objects.keys()].filter((id) => id.startsWith('Secret vault/')).sort();
  t.deepEqual(known, ['Secret vault/own', 'Secret vault/plain']);
  await api.apply(`${secret('later', 'helm.sh/release.v1')}${secret('plain-later', 'Opaque')}`);
  await follower.reported.until('a later one', () => follower.reported.objects.has('Secret vault/plain-later'));
  t.false(follower.reported.objects.has('Secret vault/later'));
});

const rejected = async (api: KubeApiServer, user: string, server?: string): Promise<unknown> => {
  const config = { kubeConfig: api.kubeConfigOf(user, server), origin: 'the test' };
  return await new ClusterSource({ config })
    .run(new SourceRecorder(), new AbortController().signal)
    .catch((error: unknown) => error);
};

test.serial('missing permission at the start is an error that names user, verb and kind', async (t) => {
  const error = await rejected(t.context.api, 'stranger');
  t.true(error instanceof ClusterStartError);
  t.like(error as object, { code: 'forbidden' });
  t.regex(
    String(error),
    /User "stranger" cannot list resource "\w+" in API group "[\w.-]*" at the cluster scope; grant get, list and watch/,
  );
});

test.serial('one missing permission is enough, and the others do not go on', async (t) => {
  const { api } = t.context;
  await api.apply(`apiVersion: rbac.authorization.k8s.io/v1
kind: ClusterRole
metadata: {name: reader}
rules:
- {apiGroups: [gateway.networking.k8s.io, gateway.networking.x-k8s.io, inference.networking.k8s.io, multicluster.x-k8s.io, discovery.k8s.io, certificates.k8s.io, gatewright.dev], resources: ["*"], verbs: [get, list, watch]}
- {apiGroups: [""], resources: [namespaces, services, configmaps], verbs: [get, list, watch]}
---
apiVersion: rbac.authorization.k8s.io/v1
kind: ClusterRoleBinding
metadata: {name: reader}
roleRef: {apiGroup: rbac.authorization.k8s.io, kind: ClusterRole, name: reader}
subjects: [{kind: User, name: reader}]
`);
  t.regex(
    String(await rejected(api, 'reader')),
    /User "reader" cannot list resource "secrets" in API group "" at the cluster scope/,
  );
});

test.serial('an API server that is not there is an error that says what to do', async (t) => {
  const proxy = await TcpProxy.start(t.context.api.port);
  const server = `https://127.0.0.1:${proxy.port}`;
  await proxy[Symbol.asyncDispose]();
  const error = await rejected(t.context.api, 'admin', server);
  t.like(error as object, { name: 'ClusterStartError', code: 'unreachable' });
  t.regex(
    String(error),
    /cannot use the API server https:.* of the the test: .*ECONNREFUSED.*; check that the cluster is up/,
  );
});

test.serial('credentials that are not taken are an error of their own', async (t) => {
  const { api } = t.context;
  const kubeConfig = api.kubeConfigOf('admin');
  const user = kubeConfig.getCurrentUser();
  if (user === null) throw new Error('no user');
  kubeConfig.users = [{ ...user, token: 'wrong' }];
  const source = new ClusterSource({ config: { kubeConfig, origin: 'test' } });
  const error = await t.throwsAsync(source.run(new SourceRecorder(), new AbortController().signal));
  t.like(error, { name: 'ClusterStartError', code: 'unauthorized' });
  t.notRegex(String(error?.message), /wrong/);
});
