import test from 'ava';
import { gateway } from '../support/agent-world.ts';
import { startEnvoy, xdsBootstrap } from '../support/envoy.ts';
import { move, moveWhileAway, moving, startMoving, states, strangers } from '../support/moving-demands.ts';

/** The stranger of access-moves, at an Envoy without our agent that is sent the state of the world. */

const nodeId = 'stock';

async function startWorld(t: Parameters<typeof startMoving>[0]) {
  const world = await startMoving(t, nodeId);
  const xds = Number(world.controlPlane.address.split(':').at(-1));
  const bootstrap = xdsBootstrap({ xds, nodeId, cluster: gateway, variant: 'sotw' });
  const envoy = await startEnvoy({ bootstrap });
  t.teardown(() => envoy.stop());
  await envoy.ready();
  await world.applied('s1');
  return world;
}

test('a demand that moves holds at every moment in an Envoy that is sent the state of the world', async (t) => {
  const world = await startWorld(t);
  const stop = strangers(world.port, moving, 8);
  await move(world, states.length * 6);
  const seen = await stop();
  t.log(Object.fromEntries(seen));
  t.deepEqual([...seen.keys()], ['403']);
});

test('a demand that moved while no control plane was there holds in such an Envoy when another one comes', async (t) => {
  const world = await startWorld(t);
  const stop = strangers(world.port, moving, 8);
  await moveWhileAway(world);
  const seen = await stop();
  t.log(Object.fromEntries(seen));
  t.false(seen.has('200'));
  t.true(seen.has('403'));
});
