import test from 'ava';
import { imageKey } from '../../../src/contracts/index.ts';
import { kindModules } from '../../../src/controllers/index.ts';
import { Graph, type GraphCopy } from '../../../src/graph/index.ts';
import { allChanges, Sensitive } from '../../../src/ir/index.ts';
import { Translator } from '../../../src/translate/index.ts';
import {
  controllerName,
  endpointSlice,
  gateway,
  gatewayClass,
  httpRoute,
  ownObject,
  service,
} from '../../support/objects.ts';
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

test('a copy has the code that objects name and that is kept elsewhere, and one that comes later is a change', (t) => {
  const graph = new Graph({
    controllerName,
    kinds: kindModules,
    userCode: { lua: false, wasm: true },
    bind: (_gateway, port) => ({ address: '127.0.0.1', port }),
  });
  const reference = `r.test/guard@sha256:${'0'.repeat(64)}`;
  const targetRefs = [{ group: 'gateway.networking.k8s.io', kind: 'Gateway', name: 'edge' }];
  const policy = ownObject('ExtensionPolicy', 'guard', { targetRefs, wasm: { image: { reference } } });
  put(graph, gatewayClass(), gateway('edge'), policy);
  graph.build(someTime);
  t.regex(JSON.stringify(graph.statusOf('ExtensionPolicy', 'default/guard')), /is not pulled yet/);
  const code = { code: new Sensitive(Buffer.from('module')), digest: '0'.repeat(64) };
  graph.setCode(imageKey({ namespace: 'default', reference }), code);
  t.true(graph.isDirty);
  graph.build(someTime);
  const { copy } = copyOf(graph);
  t.is(copy.snapshot()?.id, graph.snapshot()?.id);
  for (const each of [graph, copy])
    t.regex(JSON.stringify(each.statusOf('ExtensionPolicy', 'default/guard')), /"ResolvedRefs","status":"True"/);
  t.is([...(graph.snapshot()?.backends.values() ?? [])].find(({ module }) => module)?.module, code);
});
