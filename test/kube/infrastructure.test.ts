import { readFile } from 'node:fs/promises';
import test, { type ExecutionContext } from 'ava';
import type { KubernetesObject } from '../../src/gateway-api/index.ts';
import { type InfrastructureState, KubeInfrastructure, type XdsTrust } from '../../src/infrastructure/index.ts';
import { proxyKinds } from '../../src/infrastructure/object.ts';
import { KubeClient } from '../../src/kube/index.ts';
import { gatewayProxies } from '../support/gateway-proxies.ts';
import { borrowApiServer } from '../support/kube-apiserver/borrow.ts';
import type { KubeApiServer } from '../support/kube-apiserver.ts';
import { setProxyPods } from '../support/proxy-pods.ts';
import { thorough } from '../support/repetitions.ts';
import { until } from '../support/until.ts';

/** Who the control plane is in a cluster: what is written here is written with the rights of rbac/ and no more. */
const serviceAccount = 'system:serviceaccount:gatewright-system:gatewright';

let server: KubeApiServer;
test.before(async (t) => {
  t.timeout(600_000);
  server = await borrowApiServer({ crds: 'standard', users: [serviceAccount] });
  for (const name of ['gatewright-system', 'shop']) {
    await server.apply(`{apiVersion: v1, kind: Namespace, metadata: {name: ${name}}}`);
  }
  await server.apply(await readFile(new URL('../../rbac/control-plane.yaml', import.meta.url), 'utf8'));
});
test.after.always(() => server?.stop());

/** States by Gateway, newest last, with a way to wait for one. */
class States {
  readonly all = new Map<string, InfrastructureState[]>();
  #wake = () => {};

  readonly report = (key: string, state: InfrastructureState): void => {
    this.all.set(key, [...(this.all.get(key) ?? []), state]);
    this.#wake();
  };

  async until(key: string, isIt: (state: InfrastructureState) => boolean): Promise<InfrastructureState> {
    for (;;) {
      const newest = this.all.get(key)?.at(-1);
      if (newest !== undefined && isIt(newest)) return newest;
      await new Promise<void>((resolve) => {
        this.#wake = resolve;
      });
    }
  }
}

/** A running infrastructure that ends with the test. */
function start(t: ExecutionContext, trust?: XdsTrust) {
  const states = new States();
  const client = new KubeClient(server.kubeConfigOf(serviceAccount));
  const infrastructure = new KubeInfrastructure({
    client,
    settings: {
      controllerName: 'gatewright.dev/gateway-controller',
      image: 'gatewright:test',
      xdsAddress: { host: 'gatewright.gatewright-system.svc', port: 18080 },
      serviceType: 'LoadBalancer',
      replicas: 1,
      trust,
    },
    isLeader: () => true,
    onState: states.report,
    onFailure: (key, error) => t.log(key, error),
  });
  const ending = new AbortController();
  const ended = infrastructure.run(ending.signal);
  const stop = async () => {
    ending.abort();
    await ended;
    client.close();
  };
  t.teardown(stop);
  return { infrastructure, states, stop };
}

const find = (kind: keyof typeof proxyKinds, name: string): Promise<KubernetesObject | undefined> =>
  server.client.find(proxyKinds[kind], { namespace: 'shop', name });

const specOf = async <T>(kind: keyof typeof proxyKinds, name: string): Promise<T> =>
  (await server.client.get(proxyKinds[kind], { namespace: 'shop', name })).spec as T;

test('makes account, Deployment and Service, which the API server takes as they are', async (t) => {
  const { infrastructure, states } = start(t);
  infrastructure.ensure(gatewayProxies('made'));
  await states.until('shop/made', ({ message }) => message.includes('no pod of Deployment'));
  for (const kind of ['ServiceAccount', 'Deployment', 'Service'] as const) {
    t.like(await find(kind, 'gatewright-made'), { metadata: { ownerReferences: [{ uid: 'uid-made' }] } }, kind);
  }
});

test('reports the address and readiness as soon as the cluster does', async (t) => {
  const { infrastructure, states } = start(t);
  infrastructure.ensure(gatewayProxies('ready'));
  await states.until('shop/ready', ({ message }) => message.includes('no pod of Deployment'));
  const ref = { namespace: 'shop', name: 'gatewright-ready' };
  await server.client.patchStatus(proxyKinds.Service, ref, {
    status: { loadBalancer: { ingress: [{ ip: '192.0.2.7' }] } },
  });
  await setProxyPods(server, ref, [{ name: 'one', ready: false }]);
  await states.until('shop/ready', ({ open }) => open?.length === 0);
  await setProxyPods(server, ref, [{ name: 'one', ready: true }]);
  const state = await states.until('shop/ready', ({ ready }) => ready);
  t.deepEqual(state.open, ['TCP/80']);
  t.deepEqual(state.addresses, [{ type: 'IPAddress', value: '192.0.2.7' }]);
});

test('writes nothing when nothing changed, and only the Service when a port did', async (t) => {
  const { infrastructure } = start(t);
  const versions = async () => {
    const [deployment, service] = [
      await find('Deployment', 'gatewright-same'),
      await find('Service', 'gatewright-same'),
    ];
    return [deployment?.metadata.resourceVersion, service?.metadata.resourceVersion];
  };
  infrastructure.ensure(gatewayProxies('same'));
  await until('the objects', async () => !(await versions()).includes(undefined));
  await infrastructure.settled();
  const before = await versions();
  infrastructure.ensure(gatewayProxies('same'));
  await infrastructure.settled();
  t.deepEqual(await versions(), before);
  infrastructure.ensure(gatewayProxies('same', { ports: [{ port: 8080, protocol: 'TCP' }] }));
  await infrastructure.settled();
  const [deployment, service] = await versions();
  t.is(deployment, before[0]);
  t.not(service, before[1]);
  t.like((await find('Service', 'gatewright-same'))?.spec, { ports: [{ port: 8080 }] });
  t.is((await specOf<{ ports: unknown[] }>('Service', 'gatewright-same')).ports.length, 1);
});

test('what is changed or deleted from outside comes back', async (t) => {
  const { infrastructure } = start(t);
  const ref = { namespace: 'shop', name: 'gatewright-drift' };
  infrastructure.ensure(gatewayProxies('drift'));
  await until('the Service', async () => (await find('Service', ref.name)) !== undefined);
  const { metadata } = await server.client.get(proxyKinds.Service, ref);
  await server.client.delete(proxyKinds.Service, ref);
  await until(
    'another Service',
    async () => ![undefined, metadata.uid].includes((await find('Service', ref.name))?.metadata.uid),
  );
  await until('the Deployment', async () => (await find('Deployment', ref.name)) !== undefined);
  await server.client.patch(proxyKinds.Deployment, ref, { spec: { replicas: 0 } });
  await until('the replica', async () => (await specOf<{ replicas: number }>('Deployment', ref.name)).replicas === 1);
  t.pass();
});

thorough(test)('the trust bundle is beside the Deployment, follows the control plane, and comes back', async (t) => {
  let bundle = 'one';
  const { infrastructure } = start(t, { audience: 'gatewright-xds', bundle: () => bundle });
  const ref = { namespace: 'shop', name: 'gatewright-trust' };
  const untilHolds = (text: string) =>
    until(`bundle ${text}`, async () => {
      const found = (await find('ConfigMap', ref.name)) as { data?: Record<string, string> } | undefined;
      return found?.data?.['ca.crt'] === text;
    });
  infrastructure.ensure(gatewayProxies('trust'));
  await untilHolds('one');
  await until('the Deployment', async () => (await find('Deployment', ref.name)) !== undefined);
  await infrastructure.settled();
  const before = (await find('Deployment', ref.name))?.metadata.resourceVersion;
  bundle = 'two';
  infrastructure.reapply();
  await untilHolds('two');
  await server.client.patch(proxyKinds.ConfigMap, ref, { data: { 'ca.crt': 'foreign' } });
  await untilHolds('two');
  await server.client.delete(proxyKinds.ConfigMap, ref);
  await untilHolds('two');
  t.is((await find('Deployment', ref.name))?.metadata.resourceVersion, before, 'no pod is restarted by it');
});

test('removes what belongs to a removed Gateway', async (t) => {
  const { infrastructure } = start(t);
  for (const name of ['kept', 'removed']) infrastructure.ensure(gatewayProxies(name));
  await until('both Deployments', async () => {
    const found = await Promise.all(['kept', 'removed'].map((name) => find('Deployment', `gatewright-${name}`)));
    return !found.includes(undefined);
  });
  infrastructure.remove('shop/removed');
  for (const kind of ['ServiceAccount', 'Deployment', 'Service'] as const) {
    await until(`the end of the ${kind}`, async () => (await find(kind, 'gatewright-removed')) === undefined);
    t.not(await find(kind, 'gatewright-kept'), undefined);
  }
});

// Alone, for it ends what other tests make.
test.serial('removes what belongs to no Gateway, once all Gateways are known', async (t) => {
  const before = start(t);
  before.infrastructure.ensure(gatewayProxies('orphan'));
  await until('the Deployment', async () => (await find('Deployment', 'gatewright-orphan')) !== undefined);
  await before.stop();
  const { infrastructure, states } = start(t);
  infrastructure.ensure(gatewayProxies('other'));
  await states.until('shop/other', ({ message }) => message.includes('no pod of Deployment'));
  t.not(await find('Deployment', 'gatewright-orphan'), undefined, 'nothing goes before all Gateways are known');
  infrastructure.complete();
  await until('the end of the orphan', async () => (await find('Deployment', 'gatewright-orphan')) === undefined);
  t.not(await find('Deployment', 'gatewright-other'), undefined);
});

test('an object of the same name that is not ours stays as it is, and the Gateway says so', async (t) => {
  await server.apply('{apiVersion: v1, kind: ServiceAccount, metadata: {name: gatewright-taken, namespace: shop}}');
  const { infrastructure, states } = start(t);
  infrastructure.ensure(gatewayProxies('taken'));
  const { message } = await states.until('shop/taken', (state) => state.message.includes('exists'));
  t.regex(message, /^ServiceAccount gatewright-taken exists and was not made for this Gateway/);
  t.is((await find('ServiceAccount', 'gatewright-taken'))?.metadata.labels, undefined);
});

thorough(test)('a Gateway with the longest name gets objects that the API server takes', async (t) => {
  const { infrastructure, states } = start(t);
  const name = 'x'.repeat(253);
  infrastructure.ensure(gatewayProxies(name));
  t.regex(
    (await states.until(`shop/${name}`, ({ message }) => message.includes('no pod'))).message,
    /no pod of Deployment/,
  );
});
