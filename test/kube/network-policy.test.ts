import anyTest, { type TestFn } from 'ava';
import { type GatewayStatus, type KubernetesObject, kinds } from '../../src/gateway-api/index.ts';
import { proxyKinds } from '../../src/infrastructure/object.ts';
import { isAllowed } from '../support/kube-apiserver/access-review.ts';
import type { KubeApiServer } from '../support/kube-apiserver.ts';
import { type ShippedOperator, startShippedApi, startShippedOperator } from '../support/shipped-operator.ts';
import { until, untilFits } from '../support/until.ts';

interface Policy {
  readonly spec?: {
    readonly podSelector: { readonly matchLabels?: object };
    readonly policyTypes?: readonly string[];
    readonly egress?: readonly object[];
    readonly ingress?: readonly {
      readonly ports?: readonly { readonly port: number; readonly protocol: string }[];
      readonly from?: readonly object[];
    }[];
  };
}

interface World {
  api: KubeApiServer;
  operator: ShippedOperator;
}

const test = anyTest as TestFn<World>;
const patient = 600_000;

test.before(async (t) => {
  t.timeout(patient);
  const api = await startShippedApi(['gatewayclasses', 'gateways', 'httproutes'], { own: ['dataplanes'] });
  t.context.api = api;
  await api.apply(`
apiVersion: v1
kind: Namespace
metadata: {name: shop}
---
apiVersion: gateway.networking.k8s.io/v1
kind: GatewayClass
metadata: {name: gatewright}
spec: {controllerName: gatewright.dev/gateway-controller}`);
  t.context.operator = await startShippedOperator(api);
});
test.after.always(async (t) => {
  await t.context.operator?.stop();
  await t.context.api?.stop();
});

const gateway = (name: string, ports: readonly number[], dataPlane?: string): string => {
  const listeners = ports.map((port) => `{name: p${port}, port: ${port}, protocol: HTTP}`);
  const parameters = dataPlane
    ? `infrastructure: {parametersRef: {group: gatewright.dev, kind: DataPlane, name: ${dataPlane}}}, `
    : '';
  return `{apiVersion: gateway.networking.k8s.io/v1, kind: Gateway, metadata: {name: ${name}, namespace: shop}, spec: {gatewayClassName: gatewright, ${parameters}listeners: [${listeners.join(', ')}]}}`;
};

const dataPlane = (name: string, spec: string): string =>
  `{apiVersion: gatewright.dev/v1alpha1, kind: DataPlane, metadata: {name: ${name}, namespace: shop}, spec: ${spec}}`;

type Live<T> = (KubernetesObject & T) | undefined;

const policyOf = ({ client }: KubeApiServer, name: string) =>
  client.find(proxyKinds.NetworkPolicy, { namespace: 'shop', name: `gatewright-${name}` }) as Promise<Live<Policy>>;

const deploymentOf = ({ client }: KubeApiServer, name: string) =>
  client.find(proxyKinds.Deployment, { namespace: 'shop', name: `gatewright-${name}` });

const openPorts = (policy: Live<Policy>): string =>
  (policy?.spec?.ingress ?? [])
    .filter(({ from }) => from === undefined)
    .flatMap(({ ports = [] }) => ports.map(({ port, protocol }) => `${protocol} ${port}`))
    .join(', ');

const untilPorts = (api: KubeApiServer, name: string, ports: string) =>
  untilFits(
    `a policy for ${ports}`,
    () => policyOf(api, name),
    (policy) => openPorts(policy) === ports,
  );

test.serial('proxies get a policy that opens the listeners, and the agent to the control plane alone', async (t) => {
  t.timeout(patient);
  const { api } = t.context;
  await api.apply(gateway('web', [80, 8080]));
  const policy = await untilPorts(api, 'web', 'TCP 80, TCP 8080');
  t.deepEqual(policy?.spec?.policyTypes, ['Ingress']);
  t.is(policy?.spec?.egress, undefined);
  t.deepEqual(policy?.spec?.podSelector.matchLabels, {
    'app.kubernetes.io/managed-by': 'gatewright',
    'gateway.networking.k8s.io/gateway-name': 'web',
  });
  const closed = (policy?.spec?.ingress ?? []).filter(({ from }) => from !== undefined);
  t.deepEqual(closed, [
    {
      ports: [{ port: 8082, protocol: 'TCP' }],
      from: [
        {
          namespaceSelector: { matchLabels: { 'kubernetes.io/metadata.name': 'gatewright-system' } },
          podSelector: {
            matchLabels: { 'app.kubernetes.io/component': 'control-plane', 'app.kubernetes.io/name': 'gatewright' },
          },
        },
      ],
    },
  ]);
  t.like((policy?.metadata as { ownerReferences?: object[] } | undefined)?.ownerReferences?.[0] ?? {}, {
    kind: 'Gateway',
    name: 'web',
  });
});

test.serial('it follows the listeners, and comes back when others change or delete it', async (t) => {
  t.timeout(patient);
  const { api } = t.context;
  await api.apply(gateway('web', [443]));
  await untilPorts(api, 'web', 'TCP 443');
  await api.client.json({
    method: 'PATCH',
    path: '/apis/networking.k8s.io/v1/namespaces/shop/networkpolicies/gatewright-web',
    body: JSON.stringify({ spec: { ingress: [{}] } }),
    contentType: 'application/merge-patch+json',
  });
  await untilPorts(api, 'web', 'TCP 443');
  await api.client.delete(proxyKinds.NetworkPolicy, { namespace: 'shop', name: 'gatewright-web' });
  await untilPorts(api, 'web', 'TCP 443');
  t.pass();
});

test.serial('a DataPlane does without it, and proxies on the network of nodes have none', async (t) => {
  t.timeout(patient);
  const { api } = t.context;
  await api.apply(
    [dataPlane('plain', '{networkPolicy: false}'), dataPlane('node', '{hostNetwork: true}')].join('\n---\n'),
  );
  await api.apply([gateway('plain', [80], 'plain'), gateway('node', [80], 'node')].join('\n---\n'));
  for (const name of ['plain', 'node']) {
    await until(`Deployment ${name}`, () => deploymentOf(api, name));
    t.is(await policyOf(api, name), undefined, name);
  }
  await api.apply(gateway('web', [443], 'plain'));
  await until('the end of the policy', async () => (await policyOf(api, 'web')) === undefined);
  await api.apply(dataPlane('plain', '{networkPolicy: true}'));
  await untilPorts(api, 'web', 'TCP 443');
});

test.serial(
  'with the rights of a former release a Gateway is programmed without it, and it comes with the right',
  async (t) => {
    t.timeout(patient);
    const { api, operator } = t.context;
    await operator.stop();
    type Role = KubernetesObject & { readonly rules: readonly { readonly resources?: readonly string[] }[] };
    const type = { group: 'rbac.authorization.k8s.io', version: 'v1', plural: 'clusterroles' };
    const role = await api.client.get<Role>(type, { name: 'gatewright-infrastructure-writer' });
    const rules = role.rules.filter(({ resources }) => !resources?.includes('networkpolicies'));
    t.is(rules.length, role.rules.length - 1);
    const former = await api.client.replace<Role>(type, { ...role, rules } as Role);
    // The API server hears of it a moment later.
    const right = {
      user: 'system:serviceaccount:gatewright-system:gatewright',
      resourceAttributes: { verb: 'list', group: 'networking.k8s.io', resource: 'networkpolicies' },
    };
    await until('the loss of the right', async () => !(await isAllowed(api.client, right)));
    const again = await startShippedOperator(api);
    t.teardown(() => again.stop());
    await api.apply(gateway('later', [80]));
    await until('the Deployment', () => deploymentOf(api, 'later'));
    const status = await until('the status', async () => {
      const live = (await api.client.find(kinds.Gateway, { namespace: 'shop', name: 'later' })) as Live<{
        status?: GatewayStatus;
      }>;
      const programmed = live?.status?.conditions?.find(({ type: name }) => name === 'Programmed');
      return programmed?.message?.includes('no pod of Deployment') ? live?.status : undefined;
    });
    t.false(JSON.stringify(status).includes('networkpolicies'));
    t.is(await policyOf(api, 'later'), undefined);
    await until('the warning', () => again.logLines.some((line) => line.includes('apply the rights of this release')));
    t.is(again.logLines.filter((line) => line.includes('apply the rights of this release')).length, 1);
    await api.client.replace(type, { ...former, rules: role.rules } as Role);
    await untilPorts(api, 'later', 'TCP 80');
  },
);
