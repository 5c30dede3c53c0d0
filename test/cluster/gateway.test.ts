import test from 'ava';
import { Load } from './support/http.ts';
import { Shop } from './support/shop.ts';
import { deadlineMs, until } from './support/until.ts';

test.beforeEach((t) => t.timeout(3 * deadlineMs));

interface ObjectList {
  readonly items: readonly {
    readonly kind: string;
    readonly metadata: {
      readonly name: string;
      readonly uid: string;
      readonly labels: Record<string, string>;
      readonly annotations: Record<string, string>;
    };
  }[];
}
const proxyKinds = 'deployment,service,serviceaccount,configmap,pod';
const ours = ['-l', 'gateway.networking.k8s.io/gateway-name=edge'];

test.serial('from kubectl apply to traffic, in a namespace that enforces restricted pod security', async (t) => {
  const began = Date.now();
  const shop = await Shop.open(t, 'cluster-traffic');
  const address = await shop.programmed();
  const programmedAt = Date.now();
  await shop.serves(address);
  t.log(`programmed after ${programmedAt - began} ms, first answer after ${Date.now() - began} ms`);
  t.regex((await shop.ask(address)).body, /"namespace": ?"cluster-traffic"/);
  const { items } = await shop.get<ObjectList>(proxyKinds, ...ours);
  t.deepEqual([...new Set(items.map(({ kind }) => kind))].sort(), [
    'ConfigMap',
    'Deployment',
    'Pod',
    'Service',
    'ServiceAccount',
  ]);
  for (const { kind, metadata } of items) {
    t.is(metadata.labels.team, 'shop', `${kind} has the infrastructure's labels`);
    t.is(metadata.annotations['example.com/cost-centre'], '7', `${kind} has the infrastructure's annotations`);
  }
});

test.serial('a listener on a new port serves without a new pod', async (t) => {
  const shop = await Shop.open(t, 'cluster-listener');
  const address = await shop.programmed();
  await shop.serves(address);
  const uids = async () => (await shop.get<ObjectList>('pod', ...ours)).items.map(({ metadata }) => metadata.uid);
  const before = await uids();
  const listener = { op: 'add', path: '/spec/listeners/-', value: { name: 'more', port: 8080, protocol: 'HTTP' } };
  await shop.kubectl('patch', 'gateway', 'edge', '--type=json', '-p', JSON.stringify([listener]));
  await until('an answer on port 8080', async () => (await shop.askOn(address, 8080)).status === 200);
  t.deepEqual(await uids(), before);
});

test.serial('deleting the Gateway removes everything that was made for it', async (t) => {
  const shop = await Shop.open(t, 'cluster-delete');
  await shop.programmed();
  await shop.kubectl('delete', 'gateway', 'edge');
  await until(
    'everything to be gone',
    async () => (await shop.get<ObjectList>(proxyKinds, ...ours)).items.length === 0,
  );
  t.pass();
});

test.serial('proxies serve on while the control plane is gone, and follow it when it is back', async (t) => {
  const shop = await Shop.open(t, 'cluster-control-plane');
  const address = await shop.programmed();
  await shop.serves(address);
  const load = new Load(() => shop.ask(address));
  const control = ['-n', 'gatewright-system'];
  await shop.cluster.kubectl([
    ...control,
    'delete',
    'pod',
    '-l',
    'app.kubernetes.io/name=gatewright',
    '--grace-period=0',
    '--force',
  ]);
  await shop.cluster.kubectl([
    ...control,
    'rollout',
    'status',
    'deployment',
    'gatewright',
    `--timeout=${deadlineMs}ms`,
  ]);
  const hostnames = { op: 'add', path: '/spec/hostnames/-', value: 'new.example.com' };
  await shop.kubectl('patch', 'httproute', 'echo', '--type=json', '-p', JSON.stringify([hostnames]));
  await until(
    'an answer for the new hostname',
    async () => (await shop.askOn(address, 80, 'new.example.com')).status === 200,
  );
  t.deepEqual(Object.keys(await load.stop()), ['200'], 'no request was lost');
});

test.serial('an Envoy that died comes back in its pod', async (t) => {
  const shop = await Shop.open(t, 'cluster-envoy');
  const address = await shop.programmed();
  await shop.serves(address);
  const before = await envoyRestarts(shop);
  await killEnvoy(shop);
  await until('the agent to have started Envoy again', async () => (await envoyRestarts(shop)) > before);
  await shop.serves(address);
  const { items } = await shop.get<PodList>('pod', ...ours);
  t.deepEqual(
    items.map(({ status }) => status.containerStatuses[0]?.restartCount),
    [0],
  );
});

test.serial('a proxy pod, a Deployment and a Service that are deleted come back and serve', async (t) => {
  const shop = await Shop.open(t, 'cluster-removed');
  await shop.serves(await shop.programmed());
  for (const what of ['pod', 'deployment', 'service']) {
    const uid = async () => (await shop.get<ObjectList>(what, ...ours)).items[0]?.metadata.uid;
    const before = await uid();
    await shop.kubectl('delete', what, ...ours);
    await until(`another ${what}`, async () => ![undefined, before].includes(await uid()));
    await until('traffic', async () => (await shop.ask(await shop.programmed())).status === 200);
  }
  t.pass();
});

test.serial('a change by hand is repaired', async (t) => {
  const shop = await Shop.open(t, 'cluster-drift');
  await shop.programmed();
  await shop.kubectl('scale', 'deployment', 'gatewright-edge', '--replicas=0');
  await until('the replica to be back', async () => {
    const { spec } = await shop.get<{ spec: { replicas: number } }>('deployment', 'gatewright-edge');
    return spec.replicas === 1;
  });
  t.pass();
});

interface PodList {
  readonly items: readonly {
    readonly metadata: { readonly name: string };
    readonly status: {
      readonly podIP: string;
      readonly containerStatuses: readonly { readonly restartCount: number }[];
    };
  }[];
}

/** From the agent's own metrics, through the API server; its reports are not for who comes by that. */
async function envoyRestarts(shop: Shop): Promise<number> {
  const { items } = await shop.get<PodList>('pod', ...ours);
  const path = `/api/v1/namespaces/${shop.namespace}/pods/${items[0]?.metadata.name}:8082/proxy/api/v1/metrics`;
  const text = await shop.cluster.kubectl(['get', '--raw', path]);
  return Number(/^gatewright_gateway_dataplane_envoy_restarts_total (\d+)$/m.exec(text)?.[1]);
}

/** With Node, for the image has no shell. */
async function killEnvoy(shop: Shop): Promise<void> {
  const script = `
    const fs = require('node:fs');
    const isEnvoy = (pid) => { try { return fs.readlinkSync('/proc/' + pid + '/exe').endsWith('/envoy'); } catch { return false; } };
    const pids = fs.readdirSync('/proc').filter((name) => /^[0-9]+$/.test(name)).filter(isEnvoy);
    if (pids.length !== 1) throw new Error('found ' + pids.length + ' Envoys');
    process.kill(Number(pids[0]), 'SIGKILL');`;
  await shop.kubectl('exec', 'deployment/gatewright-edge', '--', '/usr/bin/node', '-e', script);
}
