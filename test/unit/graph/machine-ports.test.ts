import test from 'ava';
import { kindModules } from '../../../src/controllers/index.ts';
import type { GatewayStatus } from '../../../src/gateway-api/index.ts';
import { Graph } from '../../../src/graph/index.ts';
import { controllerName, gateway, gatewayClass, httpRoute } from '../../support/objects.ts';
import { type AnyObject, newGraph, put, someTime } from '../../support/world.ts';

/* Proxies of all Gateways on one machine: a port of an address is opened once. */

const older = { created: '2026-01-01T00:00:00Z' };
const younger = { created: '2026-01-02T00:00:00Z' };
const at = (port: number, protocol = 'HTTP') => [{ name: 'web', port, protocol }] as never;

function built(graph: Graph, ...objects: readonly AnyObject[]): Graph {
  put(graph, gatewayClass(), ...objects);
  graph.build(someTime);
  return graph;
}

const acceptedOf = (graph: Graph, name: string) => {
  const status = graph.statusOf('Gateway', `default/${name}`) as GatewayStatus | undefined;
  const condition = status?.listeners[0]?.conditions.find(({ type }) => type === 'Accepted');
  return condition && { reason: condition.reason, message: condition.message };
};
const portsOf = (graph: Graph, name: string) => [
  ...(graph.snapshot()?.gateways.get(`default/${name}`)?.listeners.keys() ?? []),
];

test('the older Gateway has the port, the other says whose it is, and no proxy is sent it', (t) => {
  const graph = built(newGraph(undefined, true), gateway('second', at(80), younger), gateway('first', at(80), older));
  t.deepEqual(acceptedOf(graph, 'first'), { reason: 'Accepted', message: '' });
  const fault = acceptedOf(graph, 'second');
  t.is(fault?.reason, 'PortUnavailable');
  t.regex(fault?.message ?? '', /^Port 80 is Gateway default\/first's, which is older, and /);
  t.deepEqual(portsOf(graph, 'first'), ['http/80']);
  t.deepEqual(portsOf(graph, 'second'), []);
});

test('the port is free again once the older Gateway is gone, or has another port', (t) => {
  const graph = built(newGraph(undefined, true), gateway('second', at(80), younger), gateway('first', at(80), older));
  put(graph, gateway('first', at(81), { ...older, generation: 2 }));
  graph.build(someTime);
  t.is(acceptedOf(graph, 'second')?.reason, 'Accepted');
  t.deepEqual(portsOf(graph, 'second'), ['http/80']);
  put(graph, gateway('first', at(80), { ...older, generation: 3 }));
  graph.build(someTime);
  t.is(acceptedOf(graph, 'second')?.reason, 'PortUnavailable');
  graph.remove('Gateway', 'default/first');
  graph.build(someTime);
  t.is(acceptedOf(graph, 'second')?.reason, 'Accepted');
});

test('a listener that is not served, one of UDP, and another address take no port away', (t) => {
  const bad = [{ name: 'web', port: 80, protocol: 'SCTP' }] as never;
  const invalid = built(newGraph(undefined, true), gateway('first', bad, older), gateway('second', at(80), younger));
  t.is(acceptedOf(invalid, 'second')?.reason, 'Accepted');
  const udp = built(
    newGraph(undefined, true),
    gateway('first', at(80, 'UDP'), older),
    gateway('second', at(80), younger),
  );
  t.is(acceptedOf(udp, 'second')?.reason, 'Accepted');

  const apart = new Graph({
    controllerName,
    kinds: kindModules,
    onOneMachine: true,
    bind: ({ metadata: { name } }, port) => ({ address: name === 'any' ? '0.0.0.0' : `127.0.0.${name.length}`, port }),
  });
  built(apart, gateway('a', at(80), older), gateway('bb', at(80), younger));
  t.is(acceptedOf(apart, 'bb')?.reason, 'Accepted');
  put(apart, gateway('any', at(80), younger));
  apart.build(someTime);
  t.is(acceptedOf(apart, 'any')?.reason, 'PortUnavailable', 'every address is also that one');
});

test('a route of the Gateway that has no port is served once the Gateway has it', (t) => {
  const graph = built(newGraph(undefined, true), gateway('first', at(80), older), gateway('second', at(80), younger));
  put(graph, httpRoute('shop', { parentRefs: [{ name: 'second' }] }));
  graph.build(someTime);
  const hosts = () => graph.snapshot()?.gateways.get('default/second')?.tables.size;
  t.is(hosts(), 0);
  graph.remove('Gateway', 'default/first');
  graph.build(someTime);
  t.is(hosts(), 1);
});

test('where each Gateway has machines of its own, both have the port', (t) => {
  const graph = built(newGraph(), gateway('second', at(80), younger), gateway('first', at(80), older));
  t.is(acceptedOf(graph, 'second')?.reason, 'Accepted');
});
