import test, { type ExecutionContext } from 'ava';
import { freePort } from '../../scripts/free-port.ts';
import type { ControlPlane } from '../../src/app/control-plane/index.ts';
import { loadConfig } from '../../src/config/index.ts';
import { typeUrls } from '../../src/envoy/index.ts';
import { type KubernetesObject, kinds } from '../../src/gateway-api/index.ts';
import { type AuditedKube, startAuditedKube } from '../support/audited-kube.ts';
import { testCertificates } from '../support/certificates.ts';
import { DeltaClient } from '../support/grpc.ts';
import { type KubeOperator, startKubeOperator } from '../support/kube-operator.ts';
import { edgeGateway, ownClass, servedIngress } from '../support/native-ingresses.ts';
import { setProxyPods } from '../support/proxy-pods.ts';
import { thorough } from '../support/repetitions.ts';
import { isCurrent, startStandalone } from '../support/standalone.ts';
import { untilFits } from '../support/until.ts';

/** Ingresses of ingress-nginx that are adopted: their status is another controller's, and no tenant makes more of them. */

const account = 'system:serviceaccount:gatewright-system:gatewright';
const nginx = 'k8s.io/ingress-nginx';

const classText = (name: string, controller: string) =>
  `{apiVersion: networking.k8s.io/v1, kind: IngressClass, metadata: {name: ${name}}, spec: {controller: ${controller}}}`;

const ingressText = (name: string, className: string, annotations = '{}') =>
  `{apiVersion: networking.k8s.io/v1, kind: Ingress, metadata: {name: ${name}, namespace: shop, annotations: ${annotations}}, spec: {ingressClassName: ${className}, rules: [{host: ${name}.test, http: {paths: [{path: /, pathType: Prefix, backend: {service: {name: web, port: {number: 80}}}}]}}]}}`;

const world = [
  '{apiVersion: gateway.networking.k8s.io/v1, kind: GatewayClass, metadata: {name: plain}, spec: {controllerName: gatewright.dev/gateway-controller}}',
  '{apiVersion: gateway.networking.k8s.io/v1, kind: Gateway, metadata: {name: edge, namespace: shop}, spec: {gatewayClassName: plain, listeners: [{name: http, port: 80, protocol: HTTP}]}}',
  '{apiVersion: v1, kind: Service, metadata: {name: web, namespace: shop}, spec: {ports: [{port: 80}]}}',
  classText('gatewright', 'gatewright.dev/ingress-controller'),
  classText('nginx', nginx),
  ingressText('theirs', 'nginx'),
  ingressText('first', 'gatewright'),
];

const addressesOf = (object: KubernetesObject) =>
  (object.status as { loadBalancer?: { ingress?: readonly { ip?: string }[] } } | undefined)?.loadBalancer?.ingress ??
  [];

const nginxAddress = '198.51.100.7';

async function startAdopting(t: ExecutionContext): Promise<{ kube: AuditedKube; operator: KubeOperator }> {
  const kube = await startAuditedKube({ users: [account] });
  t.teardown(() => kube.stop());
  const operator = await startKubeOperator({
    apiServer: kube.api,
    ingress: '{enabled: true, adopt: [nginx], gateway: shop/edge}',
    leaderElection: '{namespace: gatewright-system, leaseDuration: 20s, renewDeadline: 14s, retryPeriod: 1s}',
    objects: world.join('\n---\n'),
  });
  t.teardown(() => operator.stop());
  await kube.api.client.patchStatus(
    kinds.Ingress,
    { namespace: 'shop', name: 'theirs' },
    { status: { loadBalancer: { ingress: [{ ip: nginxAddress }] } } },
  );
  return { kube, operator };
}

const leads = (control: ControlPlane) =>
  untilFits(
    'it to lead',
    async () =>
      (await (await fetch(`http://127.0.0.1:${control.ports.layout1}/v1/summary`)).json()) as {
        leader: { isLeader: boolean };
      },
    ({ leader }) => leader.isLeader,
  );

async function connectProxy(control: ControlPlane): Promise<DeltaClient> {
  const client = new DeltaClient({ target: control.ports.xds, nodeId: 'gatewright-edge-1', cluster: 'shop/edge' });
  client.subscribe(typeUrls.listener);
  client.ack(await client.take(typeUrls.listener));
  return client;
}

thorough(test)(
  'no replica writes to an Ingress of an adopted class, also after a change of the leader, until the class is ours',
  async (t) => {
    t.timeout(600_000);
    const { kube, operator } = await startAdopting(t);
    const { api, control: first } = operator;
    const find = (name: string) => api.client.get(kinds.Ingress, { namespace: 'shop', name });
    const reached = (name: string) =>
      untilFits(
        `Ingress ${name} to have our address`,
        () => find(name),
        (object) => addressesOf(object).some(({ ip }) => ip !== nginxAddress),
      );
    const served = (control: ControlPlane, name: string) =>
      untilFits(
        `Ingress ${name} to be served`,
        async () => control.graph.find('HTTPRoute', `shop/Ingress:${name}`),
        Boolean,
      );
    const written = async () => {
      const calls = (await kube.callsOf(account)).filter(
        ({ verb, objectRef }) => objectRef?.resource === 'ingresses' && !['get', 'list', 'watch'].includes(verb),
      );
      return [...new Set(calls.map(({ objectRef }) => objectRef?.name))].sort();
    };

    await leads(first);
    const client = await connectProxy(first);
    await setProxyPods(api, { namespace: 'shop', name: 'gatewright-edge' }, [
      { name: 'gatewright-edge-1', ready: true },
    ]);
    await served(first, 'theirs');
    await reached('first');
    // What changes of it is taken in before what is written afterwards.
    await api.apply(ingressText('theirs', 'nginx', '{nginx.ingress.kubernetes.io/auth-type: digest}'));
    await api.apply(ingressText('second', 'gatewright'));
    await reached('second');

    const next = await operator.again();
    client.close();
    await first.stop();
    await leads(next);
    const other = await connectProxy(next);
    t.teardown(() => other.close());
    await served(next, 'theirs');
    await api.apply(ingressText('third', 'gatewright'));
    await reached('third');
    t.deepEqual(await written(), ['first', 'second', 'third']);
    t.deepEqual(addressesOf(await find('theirs')), [{ ip: nginxAddress }]);

    // `spec.controller` cannot be changed, so the class is exchanged for one of the same name.
    await api.apply(ingressText('theirs', 'nginx'));
    await api.client.delete(kinds.IngressClass, { name: 'nginx' });
    await api.apply(ingressText('fourth', 'gatewright'));
    await reached('fourth');
    t.truthy(
      next.graph.find('HTTPRoute', 'shop/Ingress:theirs'),
      'without its class it is served, and said to be nowhere',
    );
    t.deepEqual(await written(), ['first', 'fourth', 'second', 'third']);
    await api.apply(classText('nginx', 'gatewright.dev/ingress-controller'));
    await reached('theirs');
  },
);

/** A victim's host and a tenant's, at a Gateway that adopts the class `nginx`. */
async function startTenants(t: ExecutionContext) {
  const ingress = { ...loadConfig(undefined, {}).ingress, enabled: true, gateway: 'infra/edge', adopt: ['nginx'] };
  const run = await startStandalone({}, { config: { ingress } });
  t.teardown(run.stop);
  const [{ certificate, key }] = testCertificates;
  const defaultTls = {
    apiVersion: 'v1',
    kind: 'Secret',
    type: 'kubernetes.io/tls',
    metadata: { name: 'tls', namespace: 'infra' },
    stringData: { 'tls.crt': certificate, 'tls.key': key },
  };
  const https = {
    name: 'https',
    port: await freePort(),
    protocol: 'HTTPS',
    tls: { certificateRefs: [{ name: 'tls' }] },
    allowedRoutes: { namespaces: { from: 'All' } },
  };
  const gateway = edgeGateway() as KubernetesObject & { readonly spec: { readonly listeners: readonly object[] } };
  const listeners = gateway.spec.listeners.map((listener) => ({ ...listener, port: run.port }));
  const [gatewayClass] = run.gatewayObjects as [object];
  const theirs = { ...ownClass('nginx'), spec: { controller: nginx } };
  const edge = { ...gateway, spec: { ...gateway.spec, listeners: [...listeners, https] } };
  run.write('gateway.yaml', gatewayClass, theirs, defaultTls, edge);
  for (const [namespace, name] of [
    ['shop', 'web'],
    ['evil', 'own'],
    ['shop', 'solver'],
  ] as const) {
    const objects = (await run.backend(name)) as KubernetesObject[];
    run.write(`${name}.yaml`, ...objects.map((each) => ({ ...each, metadata: { ...each.metadata, namespace } })));
  }
  return {
    run,
    /** Writes them, and waits until proxies have them. */
    async apply(file: string, ...objects: readonly object[]) {
      run.write(`${file}.yaml`, ...objects, servedIngress(file, { className: 'nginx', host: `${file}.sign.test` }));
      await untilFits(
        `${file} to be served`,
        () => run.get(`${file}.sign.test`),
        ({ status }) => status === 200,
      );
      await untilFits('all of it to be applied', async () => isCurrent(run), Boolean);
    },
  };
}

test('a tenant has no class adopted that is not listed, and takes no host by one that is', async (t) => {
  const { run, apply } = await startTenants(t);
  await apply('victim', servedIngress('web', { className: 'nginx' }));
  const later = { namespace: 'evil', service: 'own', created: '2026-01-02T00:00:00Z' };
  const classOf = (name: string, spec: object) => ({ ...ownClass(name), spec });
  const { parameters } = ownClass().spec as { readonly parameters: object };
  await apply(
    'evil',
    classOf('internal', { controller: nginx, parameters }),
    classOf('nginx-evil', { controller: nginx }),
    servedIngress('internal', { ...later, className: 'internal', host: 'internal.test' }),
    servedIngress('similar', { ...later, className: 'nginx-evil', host: 'similar.test' }),
    servedIngress('missing', { ...later, className: 'NGINX', host: 'missing.test' }),
    servedIngress('taken', { ...later, className: 'nginx', paths: ['/stolen'] }),
    servedIngress('good', { ...later, className: 'nginx', host: 'good.test' }),
  );
  const hosts = ['internal.test', 'similar.test', 'missing.test', 'good.test'];
  const answers = await Promise.all(hosts.map(async (host) => (await run.get(host)).status));
  t.deepEqual(answers, [404, 404, 404, 200]);
  t.is((await run.get('a.test', '/stolen')).echo?.backend, 'web');
});

test('a solver of HTTP-01 of an adopted class answers for its own token and for nothing else', async (t) => {
  const { run, apply } = await startTenants(t);
  const redirecting = { 'force-ssl-redirect': 'true' };
  const token = '/.well-known/acme-challenge/token';
  // As cert-manager writes them, by the annotation and by the field.
  const solver = (
    name: string,
    path: string,
    className: string | undefined,
    more: Parameters<typeof servedIngress>[1],
  ) => {
    const ingress = servedIngress(name, {
      paths: [path],
      type: 'ImplementationSpecific',
      service: 'solver',
      className,
      ...more,
    });
    const annotations = {
      ...ingress.metadata.annotations,
      'nginx.ingress.kubernetes.io/whitelist-source-range': '0.0.0.0/0,::/0',
      ...(className === undefined && { 'kubernetes.io/ingress.class': 'nginx' }),
    };
    return { ...ingress, metadata: { ...ingress.metadata, annotations } };
  };
  await apply(
    'victim',
    servedIngress('web', { className: 'nginx', annotations: redirecting }),
    solver('cm-acme-http-solver-a', `${token}-a`, undefined, {}),
    solver('cm-acme-http-solver-b', `${token}-b`, 'nginx', { type: 'Exact' }),
  );
  await apply(
    'evil',
    solver('cm-acme-http-solver-c', `${token}-c`, 'nginx', {
      namespace: 'evil',
      service: 'own',
      created: '2026-01-02T00:00:00Z',
    }),
  );
  const answer = async (path: string) => {
    const { status, echo } = await run.get('a.test', path);
    return echo ? `${status} ${echo.backend}` : String(status);
  };
  const paths = [`${token}-a`, `${token}-b`, `${token}-c`, '/', '/.well-known/acme-challenge/other'];
  t.deepEqual(await Promise.all(paths.map(answer)), ['200 solver', '200 solver', '308', '308', '308']);
});
