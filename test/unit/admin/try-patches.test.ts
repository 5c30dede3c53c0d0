import test from 'ava';
import { tryPatches } from '../../../src/admin/validate/try-patches.ts';
import { kindModules } from '../../../src/controllers/index.ts';
import type { KindName, KubernetesObject } from '../../../src/gateway-api/index.ts';
import { Graph } from '../../../src/graph/index.ts';
import type { TrialAnswer, Trier } from '../../../src/xds/index.ts';
import { controllerName, endpointSlice, gateway, gatewayClass, httpRoute, service } from '../../support/objects.ts';

const patch = {
  apiVersion: 'gatewright.dev/v1alpha1',
  kind: 'EnvoyPatch',
  metadata: { name: 'own', namespace: 'default' },
  spec: { targetRefs: [{ group: '', kind: 'Service', name: 'web' }], cluster: { connect_timeout: '3s' } },
} as KubernetesObject;

function world(triers: readonly Trier[]) {
  const graph = new Graph({ controllerName, kinds: kindModules, bind: (_, port) => ({ address: '127.0.0.1', port }) });
  const inDefault = { namespace: 'default' };
  for (const object of [
    gatewayClass(),
    gateway('edge'),
    service('web', [80], inDefault),
    endpointSlice('web', ['10.0.0.1'], inDefault),
    httpRoute('web', { rules: [{ backendRefs: [{ name: 'web', port: 80 }] }] }, inDefault),
  ])
    graph.upsert(object.kind as KindName, object as never);
  graph.build(new Date(0));
  return { graph, now: () => new Date(0), triersOf: () => triers };
}

function trier(nodeId: string, envoyVersion: string, ...answers: readonly TrialAnswer[]): Trier & { asked: number } {
  const left = [...answers];
  return {
    nodeId,
    envoyVersion,
    asked: 0,
    async ask() {
      this.asked += 1;
      return left.shift() ?? { verdict: 'untried', message: 'nothing more is to be asked' };
    },
  };
}

const valid = { verdict: 'valid', message: '' } as const;
const rejected = { verdict: 'rejected', message: 'no' } as const;

test('without an agent that is connected, it is said so', async (t) => {
  t.like(await tryPatches(world([]), [patch], 1000), [
    {
      policy: 'default/own',
      gateway: 'default/edge',
      verdict: 'untried',
      message: 'no agent of Gateway default/edge is connected to this control plane',
    },
  ]);
});

test('one proxy of each version is asked, and each has its own verdict', async (t) => {
  const [old, same, recent] = [
    trier('a', '1.40.0', rejected, valid),
    trier('b', '1.40.0'),
    trier('c', '1.41.0', valid),
  ];
  const trials = await tryPatches(world([old, same, recent]), [patch], 60_000);
  t.deepEqual(
    trials.map(({ nodeId, verdict, message }) => [nodeId, verdict, message]),
    [
      ['a', 'rejected', 'no'],
      ['c', 'valid', ''],
    ],
  );
  t.is(old.asked, 2, 'with the patch, and without');
  t.is(same.asked, 0);
});

test('what Envoy rejects without the patch too says nothing of it', async (t) => {
  const [trial] = await tryPatches(world([trier('a', '1.40.0', rejected, rejected)]), [patch], 60_000);
  t.is(trial?.verdict, 'untried');
  t.regex(trial?.message ?? '', /the same of the resource without it: no/);
});

test('when the time is over, no proxy is asked', async (t) => {
  const one = trier('a', '1.40.0', valid);
  const [trial] = await tryPatches(world([one]), [patch], 0);
  t.like(trial, { verdict: 'untried', message: 'the time for trials is over' });
  t.is(one.asked, 0);
});

test('while another copy of everything is in use, nothing is tried', async (t) => {
  const sources = world([trier('a', '1.40.0', valid, valid)]);
  const both = await Promise.all([tryPatches(sources, [patch], 60_000), tryPatches(sources, [patch], 60_000)]);
  t.deepEqual(
    both
      .flat()
      .map(({ verdict }) => verdict)
      .sort(),
    ['untried', 'valid'],
  );
});
