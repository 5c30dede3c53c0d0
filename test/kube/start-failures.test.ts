import anyTest, { type ExecutionContext, type TestFn } from 'ava';
import { leaseType } from '../../src/cluster/leader/lease.ts';
import { borrowApiServer } from '../support/kube-apiserver/borrow.ts';
import type { KubeApiServer } from '../support/kube-apiserver.ts';
import { anywhere, fileFor, runProgram } from '../support/program.ts';
import { thorough } from '../support/repetitions.ts';

const test = anyTest as TestFn<{ api: KubeApiServer }>;
const patient = 600_000;

test.before(async (t) => {
  t.timeout(patient);
  t.context.api = await borrowApiServer({ users: ['stranger'] });
});
test.after.always(async (t) => {
  await t.context.api?.stop();
});

/** Starts a control plane as a user and gives the one line that it ends with. */
async function lineOf(t: ExecutionContext<{ api: KubeApiServer }>, user: string, more = ''): Promise<string> {
  const kubeconfig = fileFor(t, t.context.api.kubeConfigOf(user).exportConfig(), 'kubeconfig');
  const file = fileFor(
    t,
    `${anywhere}log: {level: silent}\nsource: {kubernetes: {kubeconfig: ${kubeconfig}}}\n${more}`,
  );
  const { code, stderr } = await runProgram(['control-plane', '--config', file]);
  t.is(code, 1);
  t.is(stderr.trim().split('\n').length, 1, `one line: ${stderr}`);
  return stderr;
}

test.serial('a control plane without the rights it needs says which, and where they are', async (t) => {
  t.timeout(patient);
  t.regex(
    await lineOf(t, 'stranger', 'leaderElection: {enabled: false}'),
    /forbidden.*grant get, list and watch on it/,
  );
});

thorough(test.serial)('a control plane that may not use its lease says so', async (t) => {
  t.timeout(patient);
  t.regex(await lineOf(t, 'stranger'), /grant get, (list|create)/);
});

thorough(test.serial)(
  'a control plane whose leader-election id another program uses names it, and the ways out',
  async (t) => {
    t.timeout(patient);
    await t.context.api.client.create(leaseType, {
      apiVersion: 'coordination.k8s.io/v1',
      kind: 'Lease',
      metadata: { namespace: 'default', name: 'taken' },
      spec: { holderIdentity: 'contour-7d', renewTime: '2026-01-01T00:00:00.000000Z' },
    } as never);
    t.regex(
      await lineOf(t, 'admin', 'leaderElection: {id: taken, namespace: default}'),
      /leaderElection\.id: Lease default\/taken is the lease of another program, held by "contour-7d"; choose another leaderElection\.id, or delete the lease/,
    );
  },
);

thorough(test.serial)('a control plane whose lease has no namespace says so', async (t) => {
  t.timeout(patient);
  t.regex(
    await lineOf(t, 'admin', 'leaderElection: {namespace: nowhere}'),
    /leaderElection\.namespace: .*create namespace nowhere, or name another one/,
  );
});
