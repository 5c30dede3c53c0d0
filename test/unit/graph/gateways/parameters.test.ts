import test from 'ava';
import type {
  DataPlaneSpec,
  DataPlaneStatus,
  GatewayClassStatus,
  GatewayStatus,
} from '../../../../src/gateway-api/index.ts';
import type { Graph } from '../../../../src/graph/index.ts';
import { dataPlane, dataPlaneRef, gateway, gatewayClass, httpRoute } from '../../../support/objects.ts';
import { newGraph, put, someTime } from '../../../support/world.ts';

const accepted = (graph: Graph, kind: 'Gateway' | 'GatewayClass' | 'DataPlane', key: string) => {
  const status = graph.statusOf(kind, key) as GatewayStatus | GatewayClassStatus | DataPlaneStatus | undefined;
  const condition = status?.conditions.find(({ type }) => type === 'Accepted');
  return condition && [condition.status, condition.reason, condition.message];
};

const specOf = (graph: Graph, key: string) => graph.resolvedGateway(key)?.parameters.spec;

/** A class with parameters, two Gateways of it, one of which has some of its own. */
function world(): Graph {
  const graph = newGraph();
  put(
    graph,
    gatewayClass('gatewright', undefined, { parametersRef: dataPlaneRef('defaults', 'default') }),
    dataPlane('defaults', { replicas: 3, image: 'a' }),
    dataPlane('own', { replicas: 5 }),
    gateway('plain'),
    gateway('special', [{}], { infrastructure: { parametersRef: dataPlaneRef('own') } }),
    httpRoute('shop', { parentRefs: [{ name: 'plain' }] }),
  );
  graph.build(someTime);
  return graph;
}

const resolvedBy = (graph: Graph): string[] =>
  graph
    .build(someTime)
    .resolved.map(({ key }) => key)
    .sort();

test("a Gateway's parameters are its class's with its own over them", (t) => {
  const graph = world();
  t.deepEqual(specOf(graph, 'default/plain'), { replicas: 3, image: 'a' });
  t.deepEqual(specOf(graph, 'default/special'), { replicas: 5, image: 'a' });
  t.deepEqual(accepted(graph, 'GatewayClass', 'gatewright'), ['True', 'Accepted', '']);
});

test('a Gateway has a number of proxies or one on each node, whatever its class has', (t) => {
  const merged = (ofClass: DataPlaneSpec, own: DataPlaneSpec) => {
    const graph = world();
    put(graph, dataPlane('defaults', ofClass, { generation: 2 }), dataPlane('own', own, { generation: 2 }));
    graph.build(someTime);
    return specOf(graph, 'default/special');
  };
  const autoscaling = { minReplicas: 1, maxReplicas: 3, targetCPUUtilizationPercentage: 80 };
  const number = { autoscaling, podDisruptionBudget: { minAvailable: 1 }, image: 'a' };
  t.deepEqual(merged(number, { workload: 'DaemonSet' }), { workload: 'DaemonSet', image: 'a' });
  t.deepEqual(merged(number, { workload: 'Deployment' }), { ...number, workload: 'Deployment' });
  t.deepEqual(merged({ workload: 'DaemonSet', image: 'a' }, { replicas: 2 }), { replicas: 2, image: 'a' });
  t.deepEqual(merged({ workload: 'DaemonSet' }, { image: 'b' }), { workload: 'DaemonSet', image: 'b' });
});

test('a patch of pods that breaks a rule makes the DataPlane unusable, and says where', (t) => {
  const graph = world();
  const podPatch = { securityContext: { runAsUser: 0 } };
  put(graph, dataPlane('own', { podPatch }, { generation: 2 }));
  graph.build(someTime);
  t.deepEqual(accepted(graph, 'DataPlane', 'default/own')?.slice(0, 2), ['False', 'Invalid']);
  t.regex(
    accepted(graph, 'Gateway', 'default/special')?.[2] ?? '',
    /podPatch\.securityContext\.runAsUser must not be root/,
  );
  t.is(specOf(graph, 'default/special'), undefined, 'what runs stays as it is');
});

test('a DataPlane says how many Gateways use it, each once', (t) => {
  const graph = world();
  const gateways = (name: string) =>
    (graph.statusOf('DataPlane', `default/${name}`) as DataPlaneStatus).attachedGateways;
  t.deepEqual([gateways('defaults'), gateways('own')], [2, 1]);
  put(graph, gateway('special', [{}], { generation: 2, infrastructure: { parametersRef: dataPlaneRef('defaults') } }));
  graph.build(someTime);
  t.is(gateways('defaults'), 2);
  t.is(graph.statusOf('DataPlane', 'default/own'), undefined, 'no Gateway names it any more');
});

test('a changed DataPlane resolves the Gateways that use it, and no others', (t) => {
  const graph = world();
  put(graph, dataPlane('own', { replicas: 6 }, { generation: 2 }));
  t.deepEqual(resolvedBy(graph), ['default/special']);
  put(graph, dataPlane('unused', { replicas: 6 }));
  t.deepEqual(resolvedBy(graph), []);
  put(graph, dataPlane('defaults', { replicas: 1 }, { generation: 2 }));
  t.deepEqual(resolvedBy(graph), ['default/plain', 'default/special']);
});

test("a DataPlane that is missing keeps parameters from being guessed, and is the Gateway's fault until it comes back", (t) => {
  const graph = world();
  graph.remove('DataPlane', 'default/own');
  graph.build(someTime);
  t.is(specOf(graph, 'default/special'), undefined);
  t.deepEqual(accepted(graph, 'Gateway', 'default/special'), [
    'False',
    'InvalidParameters',
    'parametersRef names DataPlane default/own, which does not exist: create it, or name another',
  ]);
  t.is(accepted(graph, 'Gateway', 'default/plain')?.[0], 'True');
  put(graph, dataPlane('own', {}));
  graph.build(someTime);
  t.is(accepted(graph, 'Gateway', 'default/special')?.[0], 'True');
});

test("a class's DataPlane that is missing is the class's fault and its Gateways', which stay what they are to routes", (t) => {
  const graph = world();
  const before = graph.build(someTime).snapshot;
  graph.remove('DataPlane', 'default/defaults');
  const { snapshot } = graph.build(someTime);
  t.is(accepted(graph, 'GatewayClass', 'gatewright')?.[1], 'InvalidParameters');
  t.regex(
    accepted(graph, 'Gateway', 'default/plain')?.[2] ?? '',
    /^GatewayClass gatewright: parametersRef names DataPlane/,
  );
  t.is(snapshot.id, before.id, 'running proxies are sent nothing else');
});

test('a DataPlane of a class has a namespace', (t) => {
  const graph = newGraph();
  put(graph, gatewayClass('gatewright', undefined, { parametersRef: dataPlaneRef('defaults') }));
  graph.build(someTime);
  t.regex(accepted(graph, 'GatewayClass', 'gatewright')?.[2] ?? '', /of no namespace: add its namespace$/);
});

test('a DataPlane that cannot be used says so itself, too', (t) => {
  const graph = newGraph();
  put(graph, gatewayClass(), dataPlane('own', { bootstrap: { node: {} } }));
  put(graph, gateway('edge', [{}], { infrastructure: { parametersRef: dataPlaneRef('own') } }));
  graph.build(someTime);
  t.deepEqual(accepted(graph, 'DataPlane', 'default/own'), [
    'False',
    'Invalid',
    "bootstrap.node is the agent's: remove it",
  ]);
  t.is(accepted(graph, 'Gateway', 'default/edge')?.[1], 'InvalidParameters');
});

test('of two controllers that use a DataPlane the first one says so', (t) => {
  const status = (controllerName: string) => ({ controllerName, attachedGateways: 1, conditions: [] });
  const graph = newGraph();
  put(graph, gatewayClass(), gateway('edge', [{}], { infrastructure: { parametersRef: dataPlaneRef('own') } }));
  put(graph, dataPlane('own', {}, { status: status('example.com/other') }));
  graph.build(someTime);
  t.is(graph.statusOf('DataPlane', 'default/own'), undefined);
  graph.remove('Gateway', 'default/edge');
  put(graph, dataPlane('own', {}, { generation: 2, status: status('gatewright.dev/gateway-controller') }));
  graph.build(someTime);
  t.is((graph.statusOf('DataPlane', 'default/own') as DataPlaneStatus).attachedGateways, 0, 'ours is kept true');
});
