import test from 'ava';
import { startPoolWorld } from '../support/pool-world.ts';
import { isCurrent, routeObject, startStandalone } from '../support/standalone.ts';
import { untilFits } from '../support/until.ts';

test('a start, a request and a stop of a gateway where all is well log no warning', async (t) => {
  const gateway = await startStandalone();
  t.teardown(() => gateway.stop());
  gateway.write('web.yaml', ...(await gateway.backend('web')));
  gateway.write('route.yaml', routeObject('web', 'web.test', [{ backendRefs: [{ name: 'web', port: 80 }] }]));
  await untilFits(
    'the route to be served',
    async () => ({ status: (await gateway.get('web.test')).status, current: isCurrent(gateway) }),
    ({ status, current }) => status === 200 && current,
  );
  await gateway.stop();
  t.true(gateway.log.some(({ msg }) => msg === 'Envoy is drained'));
  t.deepEqual(
    gateway.log
      .filter(({ level }) => level !== 'info' && level !== 'debug')
      .map(({ component, msg }) => [component, msg]),
    [],
  );
});

test('a pool whose picker is away logs no warning, however many requests fail', async (t) => {
  const world = await startPoolWorld(t, { picker: { pick: () => 'end' } });
  await world.picker.die();
  for (let request = 0; request < 20; request += 1) t.is((await world.ask()).status, 503);
  await world.stop();
  t.true(world.log.some(({ msg }) => msg === 'Envoy is drained'));
  t.deepEqual(
    world.log
      .filter(({ level }) => level !== 'info' && level !== 'debug')
      .map(({ component, msg }) => [component, msg]),
    [],
  );
});
