import test from 'ava';
import type { KubernetesObject } from '../../../src/gateway-api/index.ts';
import { stateOf as stateOfFacts } from '../../../src/infrastructure/index.ts';

const object = (kind: string, more: Partial<KubernetesObject>): KubernetesObject => ({
  apiVersion: 'v1',
  kind,
  metadata: { name: 'gatewright-edge', namespace: 'shop' },
  ...more,
});
/** Port 80 of all is open. */
const stateOf = (
  workload: KubernetesObject | 'Deployment',
  service: KubernetesObject | undefined,
  problem: string | undefined,
  hosts?: readonly string[],
) => stateOfFacts({ workload, service, problem, hosts, endpoints: { open: ['TCP/80'], pods: new Set() } });
const available = object('Deployment', { status: { availableReplicas: 1 } });
const balanced = (...ingress: object[]) =>
  object('Service', { spec: { type: 'LoadBalancer', clusterIP: '10.0.0.1' }, status: { loadBalancer: { ingress } } });

test("ready with an available pod and the load balancer's addresses", (t) => {
  t.deepEqual(stateOf(available, balanced({ ip: '192.0.2.1' }, { hostname: 'lb.example.com' }), undefined), {
    addresses: [
      { type: 'IPAddress', value: '192.0.2.1' },
      { type: 'Hostname', value: 'lb.example.com' },
    ],
    clusterAddresses: [{ type: 'IPAddress', value: '10.0.0.1' }],
    ready: true,
    message: '',
    open: ['TCP/80'],
  });
});

test('a Service of another type has its own address', (t) => {
  const service = object('Service', { spec: { type: 'ClusterIP', clusterIP: '10.0.0.1' } });
  t.deepEqual(stateOf(available, service, undefined).addresses, [{ type: 'IPAddress', value: '10.0.0.1' }]);
});

test('a Service of both families has its addresses of both', (t) => {
  const spec = { type: 'ClusterIP', clusterIP: '10.0.0.1', clusterIPs: ['10.0.0.1', 'fd00::1'] };
  const headless = { type: 'ClusterIP', clusterIP: 'None', clusterIPs: ['None'] };
  const addressesOf = (of: object) => stateOf(available, object('Service', { spec: of }), undefined).addresses;
  t.deepEqual(addressesOf(spec), [
    { type: 'IPAddress', value: '10.0.0.1' },
    { type: 'IPAddress', value: 'fd00::1' },
  ]);
  t.deepEqual(addressesOf(headless), []);
});

const notReady = test.macro((t, state: ReturnType<typeof stateOf>, message: RegExp) => {
  t.false(state.ready);
  t.regex(state.message, message);
});
test('nothing is made yet', notReady, stateOf('Deployment', undefined, undefined), /Deployment .* does not exist yet/);
test('no pod', notReady, stateOf(object('Deployment', {}), balanced({ ip: '192.0.2.1' }), undefined), /no pod .* yet/);
test(
  'pods that a policy or quota rejects',
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

const clusterIp = object('Service', { spec: { type: 'ClusterIP', clusterIP: '10.0.0.1' } });

test('on the network of nodes the addresses are those of nodes, as many as a status may have', (t) => {
  const hosts = Array.from({ length: 20 }, (_, index) => `192.0.2.${index}`);
  const { addresses, ready } = stateOf(available, clusterIp, undefined, hosts);
  t.deepEqual(addresses.slice(0, 2), [
    { type: 'IPAddress', value: '192.0.2.0' },
    { type: 'IPAddress', value: '192.0.2.1' },
  ]);
  t.is(addresses.length, 16);
  t.true(ready);
});
test('no node', notReady, stateOf(available, clusterIp, undefined, []), /no node has a proxy/);

test('what is in the way is a problem of its own, also while proxies serve', (t) => {
  const stuck = object('Deployment', {
    status: {
      availableReplicas: 1,
      conditions: [{ type: 'Progressing', status: 'False', message: 'has timed out progressing' }],
    },
  });
  const state = stateOf(stuck, clusterIp, undefined);
  t.is(state.problem, 'Deployment gatewright-edge does not get on: has timed out progressing');
  t.is(stateOf(available, clusterIp, 'refused').problem, 'refused');
  t.false('problem' in stateOf(object('Deployment', {}), clusterIp, undefined), 'to be waited for is none');
});

const withPorts = (...ports: object[]) =>
  object('Service', { spec: { type: 'ClusterIP', clusterIP: '10.0.0.1', ports } });
const of = (more: Partial<Parameters<typeof stateOfFacts>[0]>) =>
  stateOfFacts({
    workload: available,
    service: withPorts({ port: 80 }),
    endpoints: { open: [], pods: new Set() },
    ...more,
  });

test('not ready before the Service has a ready endpoint for each port', (t) => {
  t.like(of({}), { ready: false, open: [], message: 'no pod behind Service gatewright-edge is ready for TCP/80' });
  const both = withPorts({ port: 80, protocol: 'TCP' }, { port: 53, protocol: 'UDP' });
  const open = { open: ['TCP/80'], pods: new Set<string>() };
  t.like(of({ service: both, endpoints: open }), {
    ready: false,
    open: ['TCP/80'],
    message: 'no pod behind Service gatewright-edge is ready for UDP/53',
  });
  t.like(of({ endpoints: open }), { ready: true, open: ['TCP/80'], message: '' });
});

test('a DaemonSet that no node runs says so', (t) => {
  const none = object('DaemonSet', { status: { desiredNumberScheduled: 0 } });
  t.is(of({ workload: none }).message, 'no node has a pod of DaemonSet gatewright-edge yet');
  const one = object('DaemonSet', { status: { desiredNumberScheduled: 2, numberAvailable: 0 } });
  t.is(of({ workload: one }).message, 'no pod of DaemonSet gatewright-edge is available yet');
  t.is(of({ workload: 'DaemonSet' }).message, 'the DaemonSet of the proxies does not exist yet');
});

test('where EndpointSlices may not be read, an available pod has to do', (t) => {
  t.false('open' in of({ endpoints: undefined }), 'nothing is said of ports');
  t.like(of({ endpoints: undefined, workload: object('Deployment', {}) }), { ready: false, open: [] });
});

test('on the network of nodes nothing is said of ports: only nodes with a ready proxy are addresses', (t) => {
  t.false('open' in of({ hosts: ['192.0.2.1'] }));
});

test(
  'no replicas are wanted',
  notReady,
  of({ workload: object('Deployment', { spec: { replicas: 0 } }) }),
  /has 0 replicas/,
);
