import test from 'ava';
import { startPicker } from '../../scripts/example/picker-server.ts';
import { send } from '../support/http.ts';
import { pickerObjects, poolObject, poolRef, startPoolWorld } from '../support/pool-world.ts';
import { routeObject } from '../support/standalone.ts';
import { untilFits } from '../support/until.ts';

/** As many pools on one Gateway as a large team has models, through the running program and a real Envoy. */

const count = 200;
const pools = Array.from({ length: count }, (_, index) => ({
  name: `model-${index}`,
  host: `model-${index}.test`,
  /** Two pickers, each for every second pool. */
  at: index % 2,
  failureMode: index % 4 < 2 ? ('FailOpen' as const) : ('FailClose' as const),
}));

test('each of 200 pools of a Gateway asks its own picker, and one that ends takes nothing from the others', async (t) => {
  t.timeout(600_000);
  const endpoints: string[] = [];
  const pick = (at: number) => ({ pick: () => ({ endpoint: endpoints[at] ?? '' }) });
  const world = await startPoolWorld(t, { picker: pick(0) });
  endpoints.push(...world.servers.map(({ endpoint }) => endpoint));
  const second = await startPicker(pick(1));
  t.teardown(second.die);
  world.write('second.yaml', ...pickerObjects('second', second.port));
  world.write(
    'many.yaml',
    ...pools.flatMap(({ name, host, at, failureMode }) => [
      poolObject(name, world.modelPort, { picker: at === 0 ? 'picker' : 'second', app: 'llama', failureMode }),
      routeObject(name, host, [{ backendRefs: [poolRef(name)] }]),
    ]),
  );
  const ask = ({ host }: (typeof pools)[number]) =>
    send(world.port, { host, method: 'POST', body: '{"prompt":"hello"}' });
  const last = pools.at(-1) as (typeof pools)[number];
  await untilFits(
    'the last pool to answer',
    () => ask(last),
    ({ status }) => status === 200,
  );
  await world.settled();
  const servers = endpoints.map((endpoint) => endpoint.replace(/:\d+$/, ''));
  for (const pool of pools) {
    const { status, headers } = await ask(pool);
    t.deepEqual([status, headers['x-server']], [200, servers[pool.at]], pool.name);
  }
  await second.die();
  for (const pool of pools) {
    const { status, headers } = await ask(pool);
    if (pool.at === 0) t.deepEqual([status, headers['x-server']], [200, servers[0]], pool.name);
    else t.is(status, pool.failureMode === 'FailOpen' ? 200 : 503, pool.name);
  }
});
