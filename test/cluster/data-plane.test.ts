import test from 'ava';
import { Load } from './support/http.ts';
import { Shop } from './support/shop.ts';
import { deadlineMs, until } from './support/until.ts';

test.beforeEach((t) => t.timeout(3 * deadlineMs));

interface List<T> {
  readonly items: readonly (T & { readonly metadata: { readonly uid: string; readonly deletionTimestamp?: string } })[];
}

interface Pod {
  readonly spec: {
    readonly containers: readonly { readonly resources: { readonly requests: { readonly memory: string } } }[];
  };
}

const ours = ['-l', 'gateway.networking.k8s.io/gateway-name=edge'];

const dataPlane = (namespace: string, spec: object): string =>
  JSON.stringify({
    apiVersion: 'gatewright.dev/v1alpha1',
    kind: 'DataPlane',
    metadata: { name: 'edge', namespace },
    spec,
  });

const refer = {
  spec: { infrastructure: { parametersRef: { group: 'gatewright.dev', kind: 'DataPlane', name: 'edge' } } },
};

test.serial('a DataPlane is rolled out, and edits of it, without a lost request', async (t) => {
  const shop = await Shop.open(t, 'cluster-data-plane');
  const address = await shop.programmed();
  await shop.serves(address);
  const apply = (spec: object) =>
    shop.cluster.kubectl(['apply', '--server-side', '-f', '-'], dataPlane(shop.namespace, spec));
  const memories = async () => {
    const { items } = await shop.get<List<Pod>>('pod', ...ours);
    return items.map(({ spec }) => spec.containers[0]?.resources.requests.memory).join();
  };
  const load = new Load(() => shop.ask(address));
  await apply({ resources: { requests: { memory: '70Mi' } }, podDisruptionBudget: { maxUnavailable: 1 } });
  await shop.kubectl('patch', 'gateway', 'edge', '--type=merge', '-p', JSON.stringify(refer));
  await until('proxies with more memory', async () => (await memories()) === '70Mi');
  await until(
    'a budget',
    async () => (await shop.get<List<object>>('poddisruptionbudget', ...ours)).items.length === 1,
  );
  await apply({ resources: { requests: { memory: '80Mi' } }, replicas: 2, drainTime: '5s' });
  await until('two proxies with still more', async () => (await memories()) === '80Mi,80Mi');
  await until(
    'no budget',
    async () => (await shop.get<List<object>>('poddisruptionbudget', ...ours)).items.length === 0,
  );
  const answers = await load.stop();
  t.log(answers);
  t.deepEqual(Object.keys(answers), ['200'], 'no request was lost');
});

test.serial('proxies move to each node, with a patch of their pods, and back, without a lost request', async (t) => {
  const shop = await Shop.open(t, 'cluster-daemon-set');
  const address = await shop.programmed();
  await shop.serves(address);
  const apply = (spec: object) =>
    shop.cluster.kubectl(
      ['apply', '--server-side', '-f', '-'],
      dataPlane(shop.namespace, { drainTime: '5s', ...spec }),
    );
  const namesOf = async (kind: string) => (await shop.get<List<object>>(kind, ...ours)).items.length;
  const load = new Load(() => shop.ask(address));
  await apply({
    workload: 'DaemonSet',
    concurrency: 1,
    podPatch: {
      hostAliases: [{ ip: '192.0.2.1', hostnames: ['legacy.test'] }],
      volumes: [{ name: 'scratch', emptyDir: { sizeLimit: '16Mi' } }],
      containers: [{ name: 'data-plane', volumeMounts: [{ name: 'scratch', mountPath: '/scratch' }] }],
    },
  });
  await shop.kubectl('patch', 'gateway', 'edge', '--type=merge', '-p', JSON.stringify(refer));
  await until(
    'a DaemonSet alone',
    async () => (await namesOf('daemonset')) === 1 && (await namesOf('deployment')) === 0,
  );
  await until('its pod alone', async () => {
    const { items } = await shop.get<List<object>>('pod', ...ours);
    const [pod] = items;
    return items.length === 1 && JSON.stringify(pod).includes('legacy.test');
  });
  await shop.serves(address);
  await apply({ replicas: 2 });
  await until(
    'a Deployment alone',
    async () => (await namesOf('deployment')) === 1 && (await namesOf('daemonset')) === 0,
  );
  await until('two proxies', async () => (await namesOf('pod')) === 2);
  const answers = await load.stop();
  t.log(answers);
  t.deepEqual(Object.keys(answers), ['200'], 'no request was lost');
});
