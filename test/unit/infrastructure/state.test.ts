import test from 'ava';
import type { KubernetesObject } from '../../../src/gateway-api/index.ts';
import { stateOf } from '../../../src/infrastructure/index.ts';

const object = (kind: string, more: Partial<KubernetesObject>): KubernetesObject => ({
  apiVersion: 'v1',
  kind,
  metadata: { name: 'gatewright-edge', namespace: 'shop' },
  ...more,
});
const available = object('Deployment', { status: { availableReplicas: 1 } });
const balanced = (...ingress: object[]) =>
  object('Service', { spec: { type: 'LoadBalancer', clusterIP: '10.0.0.1' }, status: { loadBalancer: { ingress } } });

test("ready with an available pod and the load balancer's addresses", (t) => {
  t.deepEqual(stateOf(available, balanced({ ip: '192.0.2.1' }, { hostname: 'lb.example.com' }), undefined), {
    addresses: [
      { type: 'IPAddress', value: '192.0.2.1' },
      { type: 'Hostname', value: 'lb.example.com' },
    ],
    ready: true,
    message: '',
  });
});

test('a Service of another type has its own address', (t) => {
  const service = object('Service', { spec: { type: 'ClusterIP', clusterIP: '10.0.0.1' } });
  t.deepEqual(stateOf(available, service, undefined).addresses, [{ type: 'IPAddress', value: '10.0.0.1' }]);
});

const notReady = test.macro((t, state: ReturnType<typeof stateOf>, message: RegExp) => {
  t.false(state.ready);
  t.regex(state.message, message);
});
test('nothing is made yet', notReady, stateOf(undefined, undefined, undefined), /Deployment .* does not exist yet/);
test('no pod', notReady, stateOf(object('Deployment', {}), balanced({ ip: '192.0.2.1' }), undefined), /no pod .* yet/);
test(
  'pods that a policy or quota refuses',
  notReady,
  stateOf(
    object('Deployment', {
      status: { conditions: [{ type: 'ReplicaFailure', status: 'True', message: 'exceeded quota' }] },
    }),
    balanced(),
    undefined,
  ),
  /exceeded quota/,
);
test('no address', notReady, stateOf(available, balanced(), undefined), /waits for an address/);
test('a problem', notReady, stateOf(available, balanced({ ip: '192.0.2.1' }), 'name is taken'), /^name is taken$/);
