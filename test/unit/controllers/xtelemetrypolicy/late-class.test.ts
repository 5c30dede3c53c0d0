import test from 'ava';
import { gateway, gatewayClass, xObject } from '../../../support/objects.ts';
import { newGraph, put, someTime } from '../../../support/world.ts';

const policy = xObject('XTelemetryPolicy', 'spans', {
  targetRefs: [{ group: 'gateway.networking.k8s.io', kind: 'Gateway', name: 'edge' }],
});

test('a policy reports on a Gateway as soon as its class is there, and until it is not', (t) => {
  const graph = newGraph();
  const gatewaysInStatus = (): unknown => {
    const { statuses } = graph.build(someTime);
    const found = statuses.find(({ kind }) => kind === 'XTelemetryPolicy');
    if (!found) return 'as before';
    const { status } = found;
    return status && 'ancestors' in status ? status.ancestors.map(({ ancestorRef }) => ancestorRef.name) : [];
  };
  put(graph, policy, gateway('edge'));
  t.is(gatewaysInStatus(), 'as before');
  put(graph, gatewayClass());
  t.deepEqual(gatewaysInStatus(), ['edge']);
  graph.remove('GatewayClass', 'gatewright');
  t.deepEqual(gatewaysInStatus(), []);
});
