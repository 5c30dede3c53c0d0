import test, { type ExecutionContext } from 'ava';
import { typeUrls } from '../../src/envoy/index.ts';
import { type GatewayStatus, type KubernetesObject, kinds } from '../../src/gateway-api/index.ts';
import { Informer } from '../../src/kube/index.ts';
import { DeltaClient } from '../support/grpc.ts';
import { type KubeOperator, startKubeOperator } from '../support/kube-operator.ts';
import { type ProxyPod, setProxyPods } from '../support/proxy-pods.ts';
import { thorough } from '../support/repetitions.ts';
import { until, untilFits } from '../support/until.ts';

/** When a Gateway may be used: a control plane with the rights of rbac/ and no more, and pods as the cluster would report them. */

let operator: KubeOperator;

test.before(async (t) => {
  t.timeout(600_000);
  operator = await startKubeOperator({
    objects:
      '{apiVersion: gateway.networking.k8s.io/v1, kind: GatewayClass, metadata: {name: plain}, spec: {controllerName: gatewright.dev/gateway-controller}}',
  });
});
test.after.always(() => operator?.stop());
test.beforeEach((t) => t.timeout(600_000));

const gateway = (name: string, ...ports: number[]): string => {
  const listeners = ports.map((port) => `{name: p${port}, port: ${port}, protocol: HTTP}`).join(', ');
  return `{apiVersion: gateway.networking.k8s.io/v1, kind: Gateway, metadata: {name: ${name}, namespace: shop}, spec: {gatewayClassName: plain, listeners: [${listeners}]}}`;
};

const placeOf = (name: string) => ({ namespace: 'shop', name: `gatewright-${name}` });

const setPods = (name: string, ...pods: ProxyPod[]) => setProxyPods(operator.api, placeOf(name), pods);

/** What users read of a Gateway. */
function shown({ status, metadata }: KubernetesObject) {
  const { conditions = [], addresses = [] } = (status ?? {}) as Partial<GatewayStatus>;
  const programmed = conditions.find(({ type }) => type === 'Programmed');
  const { status: is, reason, message, observedGeneration } = programmed ?? {};
  return {
    is: `${is} ${reason}`,
    message,
    isNow: observedGeneration === metadata.generation,
    addresses: addresses.length,
  };
}

const look = async (name: string) => shown(await operator.api.client.get(kinds.Gateway, { namespace: 'shop', name }));

const fits = (name: string, what: Partial<ReturnType<typeof shown>>) =>
  untilFits(
    `Gateway ${name} to be ${JSON.stringify(what)}`,
    () => look(name),
    (got) => got.isNow && Object.entries(what).every(([field, value]) => got[field as keyof typeof got] === value),
  );

/** A proxy that has taken the listeners. */
async function proxy(t: ExecutionContext, name: string): Promise<DeltaClient> {
  const client = new DeltaClient({
    target: operator.control.ports.xds,
    nodeId: `gatewright-${name}-1`,
    cluster: `shop/${name}`,
  });
  t.teardown(() => client.close());
  client.subscribe(typeUrls.listener);
  await client.take(typeUrls.listener);
  return client;
}

/** Everything that was said of a Gateway, in order. */
function follow(t: ExecutionContext, name: string): string[] {
  const said: string[] = [];
  const note = (object: KubernetesObject) => {
    const { is } = shown(object);
    if (object.metadata.name === name && said.at(-1) !== is) said.push(is);
  };
  const stopping = new AbortController();
  const ended = new Informer({
    client: operator.api.client,
    kind: kinds.Gateway,
    namespace: 'shop',
    handler: { added: note, modified: note, deleted() {}, synced() {}, available() {} },
  }).run(stopping.signal);
  t.teardown(async () => {
    stopping.abort();
    await ended;
  });
  return said;
}

test('a Gateway is programmed, and has an address, when a ready proxy is behind it', async (t) => {
  await operator.api.apply(gateway('first', 80));
  await proxy(t, 'first');
  await fits('first', { is: 'False Pending', addresses: 0 });
  await setPods('first', { name: 'one', ready: false });
  await fits('first', {
    is: 'False Pending',
    addresses: 0,
    message: 'Clients cannot connect yet: no pod of Deployment gatewright-first is available yet',
  });
  await setPods('first', { name: 'one', ready: true });
  const { addresses } = await fits('first', { is: 'True Programmed' });
  t.is(addresses, 1);
});

test('a ready pod is not enough: a proxy has to have taken the listeners', async (t) => {
  await operator.api.apply(gateway('untaken', 80));
  await setPods('untaken', { name: 'one', ready: true });
  const message = 'No proxy of this Gateway has applied its listeners yet';
  await fits('untaken', { is: 'False Pending', message });
  await proxy(t, 'untaken');
  await fits('untaken', { is: 'True Programmed' });
  t.pass();
});

thorough(test)(
  'a rollout changes nothing while any pod takes connections; without one it is said, and the address stays',
  async (t) => {
    await operator.api.apply(gateway('rolled', 80));
    await proxy(t, 'rolled');
    await setPods('rolled', { name: 'old', ready: true });
    await fits('rolled', { is: 'True Programmed' });
    const said = follow(t, 'rolled');
    await until('the watch', () => said.length > 0);
    await setPods('rolled', { name: 'old', ready: true }, { name: 'new', ready: false });
    await setPods('rolled', { name: 'old', ready: true }, { name: 'new', ready: true });
    await setPods('rolled', { name: 'old', ready: false, serving: true }, { name: 'new', ready: true });
    // The node of the new one fails: connections go to the old one, which drains.
    await setPods('rolled', { name: 'old', ready: false, serving: true }, { name: 'new', ready: false });
    await setPods('rolled', { name: 'new', ready: true });
    // What follows is heard after everything before it.
    await setPods('rolled', { name: 'new', ready: false });
    await fits('rolled', { is: 'False Pending', addresses: 1 });
    await setPods('rolled', { name: 'new', ready: true });
    await fits('rolled', { is: 'True Programmed', addresses: 1 });
    await until('the watch', () => said.length >= 3);
    t.deepEqual(said, ['True Programmed', 'False Pending', 'True Programmed']);
  },
);

thorough(test)('a listener on a new port is programmed when the Service leads to it', async (t) => {
  await operator.api.apply(gateway('grown', 80));
  const client = await proxy(t, 'grown');
  await setPods('grown', { name: 'one', ready: true });
  await fits('grown', { is: 'True Programmed' });
  await operator.api.apply(gateway('grown', 80, 8443));
  await client.take(typeUrls.listener);
  await fits('grown', {
    is: 'False Pending',
    addresses: 1,
    message: 'Clients cannot connect yet: no proxy that is ready has TCP/8443 open',
  });
  await untilFits(
    'the port to be open',
    async () => {
      await setPods('grown', { name: 'one', ready: true });
      return await look('grown');
    },
    ({ is, isNow }) => isNow && is === 'True Programmed',
  );
  t.pass();
});

thorough(test)('a proxy that vanishes is missed until its pod is gone, too', async (t) => {
  await operator.api.apply(gateway('missed', 80));
  const client = await proxy(t, 'missed');
  const node = () => operator.control.xds.nodes.find('gatewright-missed-1');
  await setPods('missed', { name: 'gatewright-missed-1', ready: true }, { name: 'gatewright-missed-2', ready: true });
  await untilFits('its pod to be known', node, (found) => found?.isPod === true);
  client.close();
  await untilFits('its loss', node, (found) => found?.connected === false);
  await setPods('missed', { name: 'gatewright-missed-1', ready: false }, { name: 'gatewright-missed-2', ready: true });
  await fits('missed', { is: 'True Programmed' });
  t.truthy(node(), 'a pod that is not ready is there');
  await setPods('missed', { name: 'gatewright-missed-2', ready: true });
  await until('it to be forgotten', () => node() === undefined);
});

test('a proxy of a Gateway that is deleted is not missed', async (t) => {
  await operator.api.apply(gateway('deleted', 80));
  const client = await proxy(t, 'deleted');
  const node = () => operator.control.xds.nodes.find('gatewright-deleted-1');
  client.close();
  await untilFits('its loss', node, (found) => found?.connected === false);
  await operator.api.client.delete(kinds.Gateway, { namespace: 'shop', name: 'deleted' });
  await until('it to be forgotten', () => node() === undefined);
  t.pass();
});
