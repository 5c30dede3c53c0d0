import { readFile } from 'node:fs/promises';
import anyTest, { type ExecutionContext, type TestFn } from 'ava';
import { Elector, LeaderElectionError } from '../../src/cluster/leader/index.ts';
import { type Lease, leaseType } from '../../src/cluster/leader/lease.ts';
import { KubeClient } from '../../src/kube/index.ts';
import { borrowApiServer } from '../support/kube-apiserver/borrow.ts';
import type { KubeApiServer } from '../support/kube-apiserver.ts';
import { untilFits } from '../support/until.ts';

const test = anyTest as TestFn<{ api: KubeApiServer }>;
const namespace = 'gatewright-system';
const lease = { namespace, name: 'gatewright-leader' };
const operator = 'operator';
const patient = 600_000;

test.before(async (t) => {
  t.timeout(patient);
  const api = await borrowApiServer({ users: [operator, 'stranger'] });
  t.context = { api };
  await api.apply(`{apiVersion: v1, kind: Namespace, metadata: {name: ${namespace}}}`);
  await api.apply(await readFile(new URL('../../rbac/control-plane.yaml', import.meta.url), 'utf8'));
  await api.apply(
    `{apiVersion: rbac.authorization.k8s.io/v1, kind: RoleBinding, metadata: {name: operator, namespace: ${namespace}}, roleRef: {apiGroup: rbac.authorization.k8s.io, kind: Role, name: gatewright}, subjects: [{apiGroup: rbac.authorization.k8s.io, kind: User, name: ${operator}}]}`,
  );
});
test.after.always((t) => t.context.api?.stop());
// Another file that had the server may have left one, and the next would wait for what is left here.
const withoutLease = async (t: ExecutionContext<{ api: KubeApiServer }>): Promise<void> => {
  await t.context.api.client.delete(leaseType, lease).catch(() => undefined);
};
test.beforeEach(withoutLease);
test.afterEach.always(withoutLease);

const holderOf = async ({ client }: KubeApiServer): Promise<string | undefined> =>
  (await client.get<Lease>(leaseType, lease)).spec?.holderIdentity;

/** One who takes part, with a client of its own. */
function candidate(
  t: ExecutionContext<{ api: KubeApiServer }>,
  user: string,
  identity: string,
): { elector: Elector; leave: () => Promise<void>; ended: Promise<void> } {
  const client = new KubeClient(t.context.api.kubeConfigOf(user));
  const elector = new Elector({
    client,
    ...lease,
    identity,
    controllerName: 'gatewright.dev/gateway-controller',
    leaseDurationMs: 60_000,
    renewDeadlineMs: 40_000,
    retryPeriodMs: 1_000,
  });
  const leaving = new AbortController();
  const ended = elector.run(leaving.signal);
  ended.catch(() => undefined);
  const leave = async () => {
    leaving.abort();
    await ended.catch(() => undefined);
    client.close();
  };
  t.teardown(leave);
  return { elector, leave, ended };
}

test.serial('three electors: one leads, and when it leaves another does at once', async (t) => {
  t.timeout(patient);
  const all = ['a', 'b', 'c'].map((name) => candidate(t, operator, name));
  const leaders = () => all.filter(({ elector }) => elector.isLeader);
  await untilFits('a leader', leaders, ({ length }) => length === 1);
  const [first] = leaders();
  const former = await holderOf(t.context.api);
  await first?.leave();
  t.not(await holderOf(t.context.api), former, 'it gives the lease back, so that no other waits for its end');
  await untilFits('another leader', leaders, ({ length }) => length === 1);
  t.not(leaders()[0], first);
  const { spec } = await t.context.api.client.get<Lease>(leaseType, lease);
  t.is(spec?.leaseTransitions, 1);
});

test.serial('without the right to the lease the election fails, and says what to grant', async (t) => {
  t.timeout(patient);
  const error = await t.throwsAsync(candidate(t, 'stranger', 'x').ended, { instanceOf: LeaderElectionError });
  t.regex(error.message, /leases.*grant get, create, update and watch on leases in namespace gatewright-system/);
});

test.serial('a lease that another program holds is not touched', async (t) => {
  t.timeout(patient);
  const { client } = t.context.api;
  await client.create(leaseType, {
    apiVersion: 'coordination.k8s.io/v1',
    kind: 'Lease',
    metadata: lease,
    spec: { holderIdentity: 'contour-7d', renewTime: '2026-01-01T00:00:00.000000Z' },
  });
  await t.throwsAsync(candidate(t, operator, 'x').ended, {
    instanceOf: LeaderElectionError,
    message: /the lease of another program, held by "contour-7d"/,
  });
  const { spec } = await client.get<Lease>(leaseType, lease);
  t.is(spec?.holderIdentity, 'contour-7d');
});
