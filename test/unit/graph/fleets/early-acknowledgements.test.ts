import test from 'ava';
import type { GatewayStatus } from '../../../../src/gateway-api/index.ts';
import type { Graph } from '../../../../src/graph/index.ts';
import type * as ir from '../../../../src/ir/index.ts';
import { gateway, gatewayClass } from '../../../support/objects.ts';
import { newGraph, put, someTime } from '../../../support/world.ts';

/** Another replica may publish a change, and hear that proxies have applied it, before this one has built it. It hears that once. */

const fleet = 'default/a';
const port = (number: number) => ({ name: `p${number}`, port: number, protocol: 'HTTP' }) as never;

function replica(): Graph {
  const graph = newGraph();
  put(graph, gatewayClass('gatewright'), gateway('a', [port(80), port(81)]));
  graph.build(someTime);
  graph.setDataPlane(fleet, { addresses: [{ type: 'IPAddress', value: '192.0.2.1' }], message: '' });
  return graph;
}

function become(graph: Graph, ...ports: readonly number[]): void {
  put(graph, gateway('a', ports.map(port)));
  graph.build(someTime);
}

const digestIn = (graph: Graph): ir.Digest => graph.snapshot()?.gateways.get(fleet)?.listenersDigest as ir.Digest;

function programmed(graph: Graph): string | undefined {
  graph.build(someTime);
  const { conditions = [] } = graph.statusOf('Gateway', fleet) as GatewayStatus;
  return conditions.find(({ type }) => type === 'Programmed')?.status;
}

test('what proxies have applied before this replica builds it counts when it does', (t) => {
  const [ahead, behind] = [replica(), replica()];
  behind.acknowledge(fleet, digestIn(behind));
  t.is(programmed(behind), 'True');
  become(ahead, 80);
  behind.acknowledge(fleet, digestIn(ahead));
  t.is(programmed(behind), 'True', 'what it knows of is applied');
  become(behind, 80);
  t.is(programmed(behind), 'True');
});

test('a proxy that is late does not take it away', (t) => {
  const [ahead, behind] = [replica(), replica()];
  become(ahead, 80);
  behind.acknowledge(fleet, digestIn(ahead));
  behind.acknowledge(fleet, digestIn(behind));
  become(behind, 80);
  t.is(programmed(behind), 'True');
});

test('it counts for nothing else', (t) => {
  const [ahead, behind] = [replica(), replica()];
  behind.acknowledge(fleet, digestIn(behind));
  become(ahead, 80);
  behind.acknowledge(fleet, digestIn(ahead));
  become(behind, 81);
  t.is(programmed(behind), 'False');
});
