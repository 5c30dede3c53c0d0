import test from 'ava';
import type { Graph, GraphCopy } from '../../../src/graph/index.ts';
import { allChanges } from '../../../src/ir/index.ts';
import { Translator } from '../../../src/translate/index.ts';
import { endpointSlice, gateway, gatewayClass, httpRoute, service } from '../../support/objects.ts';
import { newGraph, put, someTime } from '../../support/world.ts';

const key = 'default/edge';

/** A Gateway that proxies have taken, with more routes than a copy takes in one step, one of which proxies reject. */
function world(): Graph {
  const graph = newGraph();
  put(graph, gatewayClass(), gateway('edge'), service('web'), endpointSlice('web', ['10.0.0.1']));
  for (let index = 0; index < 120; index++) put(graph, httpRoute(`r${index}`, { hostnames: [`r${index}.test`] }));
  graph.setDataPlane(key, { addresses: [{ type: 'IPAddress', value: '127.0.0.1' }], message: '' });
  const { snapshot } = graph.build(someTime);
  graph.acknowledge(key, snapshot.gateways.get(key)?.listenersDigest ?? 0n);
  const origins = new Translator()
    .translate(snapshot, allChanges(snapshot))
    .flatMap(({ upserts }) => upserts.flatMap(({ provenance }) => [...(provenance?.origins() ?? [])]));
  const rejected = origins.find((origin) => origin.key === 'httproute/default/r7');
  if (rejected) graph.reject({ ...rejected, gateway: key, message: 'bad thing' });
  graph.build(someTime);
  return graph;
}

function copyOf(graph: Graph): { readonly copy: GraphCopy; readonly steps: number } {
  const generator = graph.copy(someTime);
  for (let steps = 0; ; steps++) {
    const step = generator.next();
    if (step.done) return { copy: step.value, steps };
  }
}

test('a copy says what the graph says, and is made in steps', (t) => {
  const graph = world();
  const { copy, steps } = copyOf(graph);
  t.true(steps > 1, `${steps}`);
  t.is(copy.snapshot()?.id, graph.snapshot()?.id);
  for (const name of ['r1', 'r7'])
    t.deepEqual(copy.statusOf('HTTPRoute', `default/${name}`), graph.statusOf('HTTPRoute', `default/${name}`), name);
  t.deepEqual(copy.statusOf('Gateway', key), graph.statusOf('Gateway', key));
  t.regex(JSON.stringify(copy.statusOf('HTTPRoute', 'default/r7')), /bad thing/);
});

test('what is tried on a copy is reported as the difference, and the graph does not notice', (t) => {
  const graph = world();
  const before = graph.snapshot();
  const { copy } = copyOf(graph);
  copy.upsert('HTTPRoute', httpRoute('r1', { hostnames: ['other.test'] }, { generation: 2 }));
  const { changes, statuses } = copy.build(someTime);
  const hosts = changes.flatMap((change) => (change.kind === 'virtualHost' ? change.host : [])).sort();
  t.deepEqual(hosts, ['other.test', 'r1.test']);
  t.deepEqual(
    statuses.filter(({ kind }) => kind === 'HTTPRoute').map((change) => change.key),
    ['default/r1'],
  );
  t.is(graph.snapshot(), before);
  t.false(graph.isDirty);
});

test('what happens to the graph while it is copied is not in the copy, and does no harm', (t) => {
  const graph = world();
  const { id } = graph.snapshot()!;
  const generator = graph.copy(someTime);
  generator.next();
  graph.remove('HTTPRoute', 'default/r100');
  put(graph, httpRoute('new', { hostnames: ['new.test'] }));
  graph.build(someTime);
  let step = generator.next();
  while (!step.done) step = generator.next();
  t.is(step.value.snapshot()?.id, id);
});
