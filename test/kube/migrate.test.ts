import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import anyTest, { type TestFn } from 'ava';
import { stringify } from 'yaml';
import { controller, ingress } from '../support/ingress-world.ts';
import { borrowApiServer } from '../support/kube-apiserver/borrow.ts';
import type { KubeApiServer } from '../support/kube-apiserver.ts';
import { fileFor, runProgram } from '../support/program.ts';
import { until } from '../support/until.ts';

const test = anyTest as TestFn<{ api: KubeApiServer }>;
const patient = 600_000;

test.before(async (t) => {
  t.timeout(patient);
  t.context.api = await borrowApiServer({ crds: 'standard', users: ['stranger'] });
});
test.after.always(async (t) => {
  await t.context.api?.stop();
});

const namespace = (name: string) => ({ apiVersion: 'v1', kind: 'Namespace', metadata: { name } });
/** A Deployment as an API server takes it. */
const complete = (object: object): object => {
  const labels = { app: 'controller' };
  const { kind, metadata, spec } = object as {
    kind: string;
    metadata: object;
    spec: { template: { spec: { containers: object[] } } };
  };
  if (kind !== 'Deployment') return object;
  const containers = spec.template.spec.containers.map((each) => ({ name: 'controller', ...each }));
  return {
    ...object,
    metadata,
    spec: { selector: { matchLabels: labels }, template: { metadata: { labels }, spec: { containers } } },
  };
};

test.serial('inventory and conversion read a cluster, and name what they may not read', async (t) => {
  t.timeout(patient);
  const { api } = t.context;
  const service = {
    apiVersion: 'v1',
    kind: 'Service',
    metadata: { name: 'web', namespace: 'shop' },
    spec: { ports: [{ name: 'http', port: 80 }] },
  };
  const headers = {
    apiVersion: 'v1',
    kind: 'ConfigMap',
    metadata: { name: 'answers', namespace: 'shop' },
    data: { 'x-frame-options': 'DENY' },
  };
  for (const object of [
    namespace('shop'),
    namespace('ingress-nginx'),
    ...controller({ 'global-allowed-response-headers': 'X-Frame-Options' }).map(complete),
    service,
    headers,
    ingress('plain', { 'custom-headers': 'shop/answers' }),
  ])
    await api.apply(stringify(object));
  const inventory = await runProgram(['migrate', 'inventory', '--kubeconfig', api.kubeconfig]);
  t.is(inventory.code, 0, inventory.stdout + inventory.stderr);
  t.regex(inventory.stdout, /^ingress-nginx 1\.15\.1 as ingress-nginx\/controller .*\n1 Ingress · 1 host/);

  const out = mkdtempSync(join(tmpdir(), 'gatewright-converted-'));
  t.teardown(() => rmSync(out, { recursive: true }));
  const args = ['migrate', 'convert', '--kubeconfig', api.kubeconfig, '--gateway', 'infra/edge', '--out', out];
  const converted = await runProgram(args);
  t.is(converted.code, 0, converted.stdout + converted.stderr);
  const route = readFileSync(join(out, 'shop/plain.yaml'), 'utf8');
  t.regex(route, /gatewright\.dev\/migrated-from: shop\/plain@\d+/);
  t.regex(route, /\{name: x-frame-options, value: DENY\}/);

  const status = async () => await runProgram(['migrate', 'status', '--kubeconfig', api.kubeconfig]);
  const before = await status();
  t.is(before.code, 1, before.stderr);
  t.is(before.stdout, '1 Ingress: 1 not converted\n  shop/plain   not converted: no route was made from it\n');
  await api.apply(route);
  const waiting = await status();
  t.is(waiting.code, 1, waiting.stderr);
  t.regex(waiting.stdout, /^1 Ingress: 1 not accepted yet\n/);

  const kubeconfig = fileFor(t, api.kubeConfigOf('stranger').exportConfig(), 'kubeconfig');
  const stranger = await runProgram(['migrate', 'inventory', '--kubeconfig', kubeconfig]);
  t.is(stranger.code, 2);
  t.regex(stranger.stdout, /may not list Ingress: .*has a ClusterRole that allows it/);
  t.is((await runProgram(['migrate', 'status', '--kubeconfig', kubeconfig])).code, 2);
});

/** A kind that takes anything. */
const definitionOf = (group: string, kind: string, plural: string) => ({
  apiVersion: 'apiextensions.k8s.io/v1',
  kind: 'CustomResourceDefinition',
  metadata: { name: `${plural}.${group}` },
  spec: {
    group,
    scope: 'Namespaced',
    names: { kind, plural, singular: kind.toLowerCase(), listKind: `${kind}List` },
    versions: [
      {
        name: 'v1alpha1',
        served: true,
        storage: true,
        schema: { openAPIV3Schema: { type: 'object', 'x-kubernetes-preserve-unknown-fields': true } },
      },
    ],
  },
});

test.serial(
  'objects of Envoy Gateway are read from a cluster, also where not all of its kinds are installed',
  async (t) => {
    t.timeout(patient);
    const { api } = t.context;
    const definition = definitionOf('gateway.envoyproxy.io', 'SecurityPolicy', 'securitypolicies');
    const gateway = (kind: string, name: string, spec: object) => ({
      apiVersion: 'gateway.networking.k8s.io/v1',
      kind,
      metadata: { name, ...(kind !== 'GatewayClass' && { namespace: 'edge' }) },
      spec,
    });
    for (const object of [
      definition,
      namespace('edge'),
      gateway('GatewayClass', 'eg', { controllerName: 'gateway.envoyproxy.io/gatewayclass-controller' }),
      gateway('Gateway', 'edge', { gatewayClassName: 'eg', listeners: [{ name: 'http', port: 80, protocol: 'HTTP' }] }),
      gateway('HTTPRoute', 'web', {
        parentRefs: [{ name: 'edge' }],
        rules: [{ backendRefs: [{ name: 'web', port: 80 }] }],
      }),
    ])
      await api.apply(stringify(object));
    const policy = stringify({
      apiVersion: 'gateway.envoyproxy.io/v1alpha1',
      kind: 'SecurityPolicy',
      metadata: { name: 'users', namespace: 'edge' },
      spec: {
        targetRefs: [{ group: 'gateway.networking.k8s.io', kind: 'HTTPRoute', name: 'web' }],
        basicAuth: { users: { name: 'users' } },
      },
    });
    await until('the definition to be served', () =>
      api.apply(policy).then(
        () => true,
        () => false,
      ),
    );

    const out = mkdtempSync(join(tmpdir(), 'gatewright-converted-'));
    t.teardown(() => rmSync(out, { recursive: true }));
    const args = ['migrate', 'convert', '--from', 'envoy-gateway', '--out', out, '--kubeconfig'];
    const converted = await runProgram([...args, api.kubeconfig]);
    t.is(converted.code, 0, converted.stdout + converted.stderr);
    t.regex(readFileSync(join(out, 'edge/securitypolicy-users.yaml'), 'utf8'), /secretRef: \{name: users\}/);
    const route = readFileSync(join(out, 'edge/httproute-web.yaml'), 'utf8');
    t.regex(route, /name: edge-gatewright/);
    t.notRegex(route, /kubectl\.kubernetes\.io/);

    const kubeconfig = fileFor(t, api.kubeConfigOf('stranger').exportConfig(), 'kubeconfig');
    const stranger = await runProgram([...args, kubeconfig]);
    t.is(stranger.code, 2);
    t.regex(stranger.stderr, /may not list Gateway: /);
  },
);

test.serial('objects of both groups of Traefik are read from a cluster', async (t) => {
  t.timeout(patient);
  const { api } = t.context;
  await api.apply(stringify(namespace('traefik')));
  const isTaken = (text: string) =>
    api.apply(text).then(
      () => true,
      () => false,
    );
  for (const group of ['traefik.io', 'traefik.containo.us']) {
    await api.apply(stringify(definitionOf(group, 'IngressRoute', 'ingressroutes')));
    const route = (name: string) =>
      stringify({
        apiVersion: `${group}/v1alpha1`,
        kind: 'IngressRoute',
        metadata: { name, namespace: 'traefik' },
        spec: {
          entryPoints: ['web'],
          routes: [{ kind: 'Rule', match: `Host(\`${name}.${group}\`)`, services: [{ name: 'web', port: 80 }] }],
        },
      });
    await until('the definition to be served', () => isTaken(route('both')));
    await api.apply(route(group === 'traefik.io' ? 'new' : 'old'));
  }
  const out = mkdtempSync(join(tmpdir(), 'gatewright-converted-'));
  t.teardown(() => rmSync(out, { recursive: true }));
  const gateway = ['--gateway', 'infra/edge', '--out', out, '--kubeconfig', api.kubeconfig];
  const converted = await runProgram(['migrate', 'convert', '--from', 'traefik', ...gateway]);
  t.is(converted.code, 0, converted.stdout + converted.stderr);
  for (const host of ['new.traefik.io', 'old.traefik.containo.us', 'both.traefik.io']) {
    const [, name] = /^(\w+)\./.exec(host) ?? [];
    t.true(readFileSync(join(out, `traefik/ingressroute-${name}.yaml`), 'utf8').includes(host), host);
  }
});
