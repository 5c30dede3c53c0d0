import test from 'ava';
import { ProblemWatch } from '../../../../src/app/control-plane/problem-watch.ts';
import { kinds } from '../../../../src/gateway-api/index.ts';
import { HandClock } from '../../../support/hand-clock.ts';
import { controllerName, gatewayClass, httpRoute } from '../../../support/objects.ts';
import { newGraph, put, someTime } from '../../../support/world.ts';

const routes = 20;

test('a look at many objects leaves turns to others, and takes what comes meanwhile', async (t) => {
  const clock = new HandClock();
  const graph = newGraph();
  const found: string[] = [];
  const all = Promise.withResolvers<void>();
  const watch = new ProblemWatch({
    graph,
    controllerName,
    reads: undefined,
    availability: () => undefined,
    clock,
    now: () => someTime,
    isPublished: () => true,
    report({ object }: { readonly object: { readonly name: string } }) {
      found.push(object.name);
      if (found.length > routes) all.resolve();
      // A slice has room for a few of these.
      for (const until = performance.now() + 2; performance.now() < until; );
    },
  } as never);
  t.teardown(() => watch.stop());
  const observe = (name: string) => {
    const object = httpRoute(name, { parentRefs: [{ name: 'nowhere' }] });
    put(graph, object);
    watch.observe({ type: 'added', kind: kinds.HTTPRoute, object } as never);
  };
  put(graph, gatewayClass());
  graph.build(someTime);
  for (let at = 0; at < routes; at += 1) observe(`r${at}`);
  clock.move(500);
  t.true(found.length < routes, `${found.length} in one turn`);
  observe('late');
  await all.promise;
  t.deepEqual(new Set(found), new Set([...Array.from({ length: routes }, (_, at) => `r${at}`), 'late']));
});
