import test from 'ava';
import type { PolicyStatus } from '../../../src/gateway-api/index.ts';
import type * as ir from '../../../src/ir/index.ts';
import { endpointSlice, gateway, gatewayClass, l4Route, ownObject, service } from '../../support/objects.ts';
import { newGraph, put, someTime } from '../../support/world.ts';

const route = (name: string, backend: string, created: string) =>
  l4Route(
    'TCPRoute',
    name,
    { parentRefs: [{ name: 'edge' }], rules: [{ backendRefs: [{ name: backend, port: 80 }] }] } as never,
    { created },
  );

test('a backend that no connection can get to is not there, until its route is the one that is served', (t) => {
  const graph = newGraph();
  put(
    graph,
    gatewayClass(),
    gateway('edge', [{ name: 'tcp', port: 9000, protocol: 'TCP' }]),
    ...['first', 'second'].flatMap((name) => [service(name), endpointSlice(name, ['10.0.0.1'])]),
    route('older', 'first', '2026-01-01T00:00:00Z'),
    route('younger', 'second', '2026-01-02T00:00:00Z'),
    ownObject('BackendPolicy', 'policy', {
      targetRefs: [{ group: '', kind: 'Service', name: 'second' }],
      timeouts: { connect: '1s' },
    }),
  );
  const backends = () => {
    graph.build(someTime);
    return [...(graph.snapshot() as ir.Snapshot).backends.values()].map(({ service: name }) => name);
  };
  const ancestors = () =>
    (graph.statusOf('BackendPolicy', 'default/policy') as PolicyStatus | undefined)?.ancestors ?? [];
  t.deepEqual(backends(), ['first']);
  t.deepEqual(ancestors(), [], 'it affects no ancestor');
  graph.remove('TCPRoute', 'default/older');
  t.deepEqual(backends(), ['second']);
  t.is(ancestors().length, 1);
  put(graph, route('oldest', 'first', '2025-01-01T00:00:00Z'));
  t.deepEqual(backends(), ['first']);
  t.deepEqual(ancestors(), []);
  graph.remove('Gateway', 'default/edge');
  t.deepEqual(backends(), []);
});
