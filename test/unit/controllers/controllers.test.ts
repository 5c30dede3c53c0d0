import test from 'ava';
import { createControllers } from '../../../src/controllers/index.ts';
import { kinds } from '../../../src/gateway-api/index.ts';
import { Builder, type Graph } from '../../../src/graph/index.ts';
import type { ResourceEvent } from '../../../src/sources/index.ts';
import { service } from '../../support/objects.ts';
import { newGraph } from '../../support/world.ts';

test('an event that the graph cannot take in is named, and those behind it are taken', (t) => {
  const graph = newGraph();
  const upsert = graph.upsert.bind(graph);
  graph.upsert = ((kind, object) => {
    if (object.metadata.name === 'bad') throw new Error('a bug');
    return upsert(kind, object);
  }) as Graph['upsert'];
  const builder = new Builder({ graph, quietMs: 1, maxMs: 1, publish: () => undefined });
  t.teardown(() => builder.stop());
  const faults: string[] = [];
  const seen: string[] = [];
  const controllers = createControllers({
    graph,
    builder,
    onFault: ({ object }, error) => faults.push(`${object.metadata.name}: ${(error as Error).message}`),
    onEvent: ({ object }) => seen.push(object.metadata.name ?? ''),
  });
  for (const name of ['bad', 'good'])
    controllers.event({ type: 'added', kind: kinds.Service, object: service(name) } as ResourceEvent);
  t.deepEqual(faults, ['bad: a bug']);
  t.deepEqual(seen, ['bad', 'good']);
  t.truthy(graph.find('Service', 'default/good'));
});
