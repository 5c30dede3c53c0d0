import { setImmediate as turn } from 'node:timers/promises';
import test, { type ExecutionContext } from 'ava';
import { Builder } from '../../../src/graph/index.ts';
import { newGraph } from '../../support/world.ts';

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

test('a change after a build that everybody has taken is built at once', async (t) => {
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
  t.is(built.count, 1, 'what gathers goes on gathering: it is a burst');
});
