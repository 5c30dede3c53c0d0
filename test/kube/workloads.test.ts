import { readFile } from 'node:fs/promises';
import test, { type ExecutionContext } from 'ava';
import type { DataPlaneSpec, KubernetesObject } from '../../src/gateway-api/index.ts';
import { type InfrastructureState, KubeInfrastructure } from '../../src/infrastructure/index.ts';
import { proxyKinds } from '../../src/infrastructure/object.ts';
import { KubeClient } from '../../src/kube/index.ts';
import { gatewayProxies } from '../support/gateway-proxies.ts';
import { borrowApiServer } from '../support/kube-apiserver/borrow.ts';
import type { KubeApiServer } from '../support/kube-apiserver.ts';
import { until, untilFits } from '../support/until.ts';

/** Proxies that are a number, and proxies that are one on each node; before a real API server, whose controllers the test stands in for. */

const serviceAccount = 'system:serviceaccount:gatewright-system:gatewright';
/** Whom an earlier release's rights were given. */
const former = 'former';
const role = 'gatewright-infrastructure-writer';

let server: KubeApiServer;
test.before(async (t) => {
  t.timeout(600_000);
  server = await borrowApiServer({ users: [serviceAccount, former] });
  for (const name of ['gatewright-system', 'shop'])
    await server.apply(`{apiVersion: v1, kind: Namespace, metadata: {name: ${name}}}`);
  const rights = await readFile(new URL('../../rbac/control-plane.yaml', import.meta.url), 'utf8');
  await server.apply(rights);
  const roles = { group: 'rbac.authorization.k8s.io', version: 'v1', plural: 'clusterroles' };
  type Role = KubernetesObject & { readonly rules: readonly { readonly resources: readonly string[] }[] };
  const { rules } = await server.client.get<Role>(roles, { name: role });
  const without = rules.map((rule) => ({ ...rule, resources: rule.resources.filter((name) => name !== 'daemonsets') }));
  await server.apply(
    JSON.stringify({
      apiVersion: 'rbac.authorization.k8s.io/v1',
      kind: 'ClusterRole',
      metadata: { name: former },
      rules: without,
    }),
  );
  await server.apply(
    `{apiVersion: rbac.authorization.k8s.io/v1, kind: ClusterRoleBinding, metadata: {name: ${former}}, roleRef: {apiGroup: rbac.authorization.k8s.io, kind: ClusterRole, name: ${former}}, subjects: [{apiGroup: rbac.authorization.k8s.io, kind: User, name: ${former}}]}`,
  );
});
test.after.always(() => server?.stop());

function start(t: ExecutionContext, name: string, user = serviceAccount) {
  t.timeout(600_000);
  const client = new KubeClient(server.kubeConfigOf(user));
  const states: InfrastructureState[] = [];
  const infrastructure = new KubeInfrastructure({
    client,
    settings: {
      controllerName: `gatewright.dev/${name}`,
      image: 'gatewright:test',
      xdsAddress: { host: 'gatewright.gatewright-system.svc', port: 18080 },
      serviceType: 'ClusterIP',
      replicas: 1,
    },
    isLeader: () => true,
    onState: (_, state) => states.push(state),
    onFailure: (key, error) => t.log(key, error),
  });
  const ending = new AbortController();
  const ended = infrastructure.run(ending.signal);
  t.teardown(async () => {
    ending.abort();
    await ended;
    client.close();
  });
  const gateway = gatewayProxies(name);
  const ref = { namespace: 'shop', name: `gatewright-${name}` };
  const find = (kind: keyof typeof proxyKinds) => server.client.find(proxyKinds[kind], ref);
  /** As the cluster's controllers count what they have started. */
  const serve = async (kind: 'Deployment' | 'DaemonSet', pods: number) => {
    const { metadata } = await until(kind, () => find(kind));
    const counts =
      kind === 'Deployment'
        ? { replicas: pods, readyReplicas: pods, availableReplicas: pods }
        : {
            currentNumberScheduled: pods,
            desiredNumberScheduled: pods,
            numberMisscheduled: 0,
            numberReady: pods,
            numberAvailable: pods,
          };
    const status = { ...counts, observedGeneration: metadata.generation };
    await server.client.patchStatus(proxyKinds[kind], ref, { status });
  };
  return {
    infrastructure,
    states,
    state: () => states.at(-1),
    find,
    serve,
    ref,
    ensure: (parameters: DataPlaneSpec | undefined) => infrastructure.ensure({ ...gateway, parameters }),
  };
}

const saysOf = (text: string) => (state: InfrastructureState | undefined) => state?.message.includes(text) ?? false;

test('proxies move from a Deployment to a DaemonSet and back, and the former ones serve until the new ones do', async (t) => {
  const { ensure, find, serve, state, states, infrastructure } = start(t, 'moved');
  ensure({ replicas: 2, podDisruptionBudget: { minAvailable: 1 } });
  await serve('Deployment', 2);
  await untilFits('a proxy', state, saysOf('no pod behind Service'));
  const before = states.length;

  ensure({ workload: 'DaemonSet' });
  await until('the DaemonSet', () => find('DaemonSet'));
  await until('the end of the budget', async () => (await find('PodDisruptionBudget')) === undefined);
  await serve('DaemonSet', 0);
  await infrastructure.settled();
  t.not(await find('Deployment'), undefined, 'no node has a proxy yet');
  await serve('DaemonSet', 3);
  await until('the end of the Deployment', async () => (await find('Deployment')) === undefined);

  ensure({ replicas: 2 });
  await until('a Deployment', () => find('Deployment'));
  await infrastructure.settled();
  t.not(await find('DaemonSet'), undefined);
  await serve('Deployment', 1);
  await infrastructure.settled();
  t.not(await find('DaemonSet'), undefined, 'one of two is not all');
  await serve('Deployment', 2);
  await until('the end of the DaemonSet', async () => (await find('DaemonSet')) === undefined);
  t.deepEqual(
    states.slice(before).filter(({ message }) => !message.includes('no pod behind Service')),
    [],
    'there was a proxy all the time',
  );
});

test('on the network of nodes the former proxies end first, for their ports are needed', async (t) => {
  const { ensure, find, serve } = start(t, 'host');
  ensure({ hostNetwork: true });
  await serve('Deployment', 1);
  ensure({ hostNetwork: true, workload: 'DaemonSet' });
  await until('the end of the Deployment', async () => (await find('Deployment')) === undefined);
  const daemonSet = await until('the DaemonSet', () => find('DaemonSet'));
  t.like(daemonSet.spec as object, { updateStrategy: { rollingUpdate: { maxUnavailable: 1, maxSurge: 0 } } });
});

test('a DaemonSet is kept as it should be, and says what is missing', async (t) => {
  const { ensure, find, serve, state, infrastructure, ref } = start(t, 'kept');
  ensure({ workload: 'DaemonSet', nodeSelector: { pool: 'edge' } });
  const daemonSet = await until('the DaemonSet', () => find('DaemonSet'));
  t.like(daemonSet.spec as object, {
    updateStrategy: { rollingUpdate: { maxUnavailable: 0, maxSurge: 1 } },
    template: { spec: { nodeSelector: { pool: 'edge' } } },
  });
  await untilFits('what is missing', state, saysOf('no node has a pod of DaemonSet gatewright-kept yet'));
  await server.client.patch(proxyKinds.DaemonSet, ref, {
    spec: { template: { spec: { nodeSelector: { pool: 'other' } } } },
  });
  await untilFits(
    'its nodes',
    () => find('DaemonSet'),
    (live) => JSON.stringify(live?.spec).includes('"pool":"edge"'),
  );
  await serve('DaemonSet', 2);
  await untilFits('a proxy', state, saysOf('no pod behind Service'));
  const part = await untilFits(
    'its part',
    () => infrastructure.inventory()?.find(({ kind, name }) => kind === 'DaemonSet' && name === ref.name),
    (found) => found?.replicas?.ready === 2,
  );
  t.like(part, { role: 'proxies', state: 'ready', replicas: { desired: 2, ready: 2 } });
  ensure(undefined);
  await infrastructure.settled();
  t.not(await find('DaemonSet'), undefined, 'what is not known changes nothing');
  t.true(saysOf('no pod behind Service')(state()));
});

test('with rights of an earlier release there are Deployments as ever, and the right that is missing is named', async (t) => {
  const { ensure, find, serve, state } = start(t, 'former', former);
  ensure({});
  await serve('Deployment', 1);
  await untilFits('a proxy', state, saysOf('no pod behind Service'));
  ensure({ workload: 'DaemonSet' });
  const said = await untilFits('the missing right', state, ({ problem } = {} as never) => problem !== undefined);
  t.regex(said?.problem ?? '', /daemonsets.*forbidden|cannot .* "daemonsets"/);
  t.not(await find('Deployment'), undefined, 'what serves stays');
});
