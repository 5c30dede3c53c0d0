import { setImmediate as turn } from 'node:timers/promises';
import test, { type ExecutionContext } from 'ava';
import { Builder, type BuildResult } from '../../../src/graph/index.ts';
import type { Steps } from '../../../src/std/steps/index.ts';
import { endpointSlice, gateway, gatewayClass, httpRoute, service } from '../../support/objects.ts';
import { thorough } from '../../support/repetitions.ts';
import { newGraph, put } from '../../support/world.ts';

/** A builder with an empty graph that waits for ever where it waits. Counts what it built. */
function patient(t: ExecutionContext, isPushing?: () => boolean) {
  const built = { count: 0 };
  const builder = new Builder({
    graph: newGraph(),
    quietMs: 60_000,
    maxMs: 600_000,
    publish: () => {
      built.count += 1;
    },
    ...(isPushing && { isPushing }),
  });
  t.teardown(() => builder.stop());
  return { builder, built };
}

test('changes of one turn are one build', async (t) => {
  const { builder, built } = patient(t);
  builder.open();
  builder.changed();
  builder.changed();
  t.is(built.count, 0);
  await turn();
  t.is(built.count, 1);
});

test('a change after a build that every consumer has taken is built at once', async (t) => {
  const { builder, built } = patient(t, () => false);
  builder.open();
  await turn();
  builder.changed();
  await turn();
  t.is(built.count, 2);
});

test('a change while a build is being taken waits for more of its kind', async (t) => {
  let pushing = true;
  const { builder, built } = patient(t, () => pushing);
  builder.open();
  await turn();
  builder.changed();
  pushing = false;
  builder.changed();
  await turn();
  builder.taken();
  await turn();
  t.is(built.count, 1, 'what gathers goes on gathering: it is a burst');
});

test('one change that came while a build is being taken is built as soon as that is taken', async (t) => {
  let pushing = true;
  const { builder, built } = patient(t, () => pushing);
  builder.open();
  await turn();
  builder.changed();
  builder.mayHaveChanged();
  await turn();
  t.is(built.count, 1);
  pushing = false;
  builder.taken();
  await turn();
  t.is(built.count, 2);
  builder.taken();
  await turn();
  t.is(built.count, 2, 'there is nothing to build');
});

/** A graph with more routes than one slice of a build takes. */
function largeWorld() {
  const graph = newGraph();
  put(graph, gatewayClass(), gateway('edge'), service('web'), endpointSlice('web', ['10.0.0.1']));
  for (let index = 0; index < 3_000; index++) put(graph, route(`r${index}`));
  return graph;
}

const route = (name: string) => httpRoute(name, { hostnames: [`${name}.test`] });

/** A builder of it that is open, with what it published and what failed. */
function sliced(t: ExecutionContext, publishing: (result: BuildResult) => Steps<void> | undefined = () => undefined) {
  const graph = largeWorld();
  const published: BuildResult[] = [];
  const failed: unknown[] = [];
  const worked: number[] = [];
  const builder = new Builder({
    graph,
    quietMs: 0,
    maxMs: 0,
    publish(result) {
      published.push(result);
      return publishing(result);
    },
    onBuilt: (durationMs) => worked.push(durationMs),
    onFailed(error, durationMs) {
      failed.push(error);
      worked.push(durationMs);
    },
  });
  t.teardown(() => builder.stop());
  builder.open();
  return { graph, builder, published, failed, worked };
}

test('a short build is published in the turn after the change, and takes no other', async (t) => {
  const { builder, built } = patient(t, () => false);
  builder.open();
  await turn();
  let atOnce = 0;
  // A machine that has too much to do may stop us for longer than a slice, and more often than not.
  for (let change = 0; change < 500 && atOnce < 15; change++) {
    const before = built.count;
    builder.changed();
    await turn();
    atOnce += built.count - before;
    await builder.settled();
  }
  t.is(atOnce, 15);
});

thorough(test)('timers and others have their turns while a long build is under way', async (t) => {
  const { builder, published, worked } = sliced(t);
  let turns = 0;
  let timers = 0;
  const ticking = setInterval(() => timers++, 1);
  const began = performance.now();
  while (published.length === 0) {
    await turn();
    turns++;
  }
  const tookMs = performance.now() - began;
  clearInterval(ticking);
  t.log(`${turns} turns, ${timers} timers`);
  t.true(turns >= 5, `${turns}`);
  t.true(timers >= 3, `${timers}`);
  await builder.settled();
  t.true(0 < worked[0]! && worked[0]! <= tookMs + 1_000);
  t.is(published[0]?.snapshot.counts.routes, 3_000);
});

test('what changes in the midst of a build is in the next one, which every waiting caller sees', async (t) => {
  const { graph, builder, published } = sliced(t);
  await turn();
  t.is(published.length, 0);
  const first = builder.settled();
  put(graph, route('late'));
  builder.changed();
  const both = builder.settled();
  await first;
  t.deepEqual(
    published.map(({ snapshot }) => snapshot.counts.routes),
    [3_000],
  );
  await both;
  t.deepEqual(
    published.map(({ snapshot }) => snapshot.counts.routes),
    [3_000, 3_001],
  );
  await builder.settled();
  t.is(published.length, 2);
});

thorough(test)('what is published in steps is not overtaken by the next build', async (t) => {
  const said: string[] = [];
  let mayEnd = false;
  const { graph, builder, published } = sliced(t, function* ({ snapshot }) {
    said.push(`${snapshot.counts.routes} begins`);
    while (!mayEnd) yield;
    said.push(`${snapshot.counts.routes} ends`);
  });
  while (published.length === 0) await turn();
  t.deepEqual(said, ['3000 begins']);
  put(graph, route('late'));
  builder.changed();
  await turn();
  mayEnd = true;
  await builder.settled();
  t.deepEqual(said, ['3000 begins', '3000 ends', '3001 begins', '3001 ends']);
});

thorough(test)('what fails in the midst of a build fails that build, and the next goes on', async (t) => {
  const fault = new Error('no');
  let isBroken = true;
  const { graph, builder, published, failed, worked } = sliced(t, function* () {
    const until = performance.now() + 30;
    while (performance.now() < until) yield;
    if (isBroken) throw fault;
  });
  await builder.settled();
  t.deepEqual(failed, [fault]);
  t.true(worked[0]! > 1, 'the time that it cost');
  isBroken = false;
  put(graph, route('late'));
  builder.changed();
  await builder.settled();
  t.is(failed.length, 1);
  t.deepEqual(
    published.map(({ snapshot }) => snapshot.counts.routes),
    [3_000, 3_001],
  );
});

thorough(test)('an obstruction during a build fails the next build', async (t) => {
  const { builder, published, failed } = sliced(t);
  await turn();
  builder.obstruct('Secret', 'secrets may not be read');
  await builder.settled();
  t.is(published.length, 1);
  t.like(failed, [{ subject: 'Secret' }]);
});

thorough(test)(
  'a builder that is stopped in the midst of a build does nothing more, and the graph takes changes',
  async (t) => {
    const { graph, builder, published, failed } = sliced(t);
    await turn();
    put(graph, route('late'));
    builder.stop();
    for (let passed = 0; passed < 200; passed++) await turn();
    t.deepEqual([published.length, failed.length], [0, 0]);
    t.is(graph.build(new Date()).snapshot.counts.routes, 3_001);
  },
);
