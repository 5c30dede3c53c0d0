import test from 'ava';
import { ask, chat } from '../support/ai.ts';
import { type AiPoolWorld, poolService, startAiPoolWorld } from '../support/ai-pool-world.ts';
import { endings } from '../support/endings.ts';
import { pickerObjects, podObject } from '../support/pool-world.ts';
import { until } from '../support/until.ts';

/**
 * Requests wait at a picker, and answers stream, while what they pass is changed. They end as they began: no prompt runs twice, none is lost, and the
 * proxy lives on.
 */

const ends = endings(test);
let world: AiPoolWorld;

test.before(async () => {
  world = await startAiPoolWorld(ends);
  const { gateway, llama } = world;
  gateway.write('other.yaml', ...pickerObjects('other', llama.picker.port));
});

const models = [{ name: 'llama-3' }, { name: 'sql', as: 'sql-lora' }];

/** What happens to the pool or the service meanwhile. */
const changes: Readonly<Record<string, () => Promise<void>>> = {
  'the pool fails open': () => world.pool({ failureMode: 'FailOpen' }),
  'its picker is asked in another mode': () => world.pool({ mode: 'FullDuplexRequest' }),
  'it has another picker': () => world.pool({ picker: 'other' }),
  'it has no picker': () => world.pool({ picker: null }),
  'it gains a Pod': async () => {
    world.gateway.write('more.yaml', podObject('llama-9', 'llama', '127.0.0.19', 'False'));
    await world.settled();
  },
  'its service has another model and no fallback': async () => {
    world.gateway.write('service.yaml', poolService('llama', { models: [...models, { name: 'new' }] }));
    await world.settled();
  },
};

for (const [what, change] of Object.entries(changes))
  test.serial(`requests that wait at a picker, and answers that stream, end well while ${what}`, async (t) => {
    const { gateway, llama, spare, openai } = world;
    await world.pool({});
    const [endpoint = ''] = llama.endpoints;
    const before = llama.servers.map(({ ledger }) => ledger.length);
    const others = [spare.servers[0]?.ledger.length, openai.ledger.length];
    const { promise: released, resolve: release } = Promise.withResolvers<void>();
    llama.pick = async () => {
      await released;
      return { endpoint };
    };
    const asked = llama.picker.asked.length;
    const waiting = Array.from({ length: 8 }, (_, at) =>
      ask(gateway.port, { body: chat('llama-3', { text: 'one two three' }, { stream: at % 2 === 0 }) }),
    );
    await until('all to wait', async () => llama.picker.asked.length === asked + 8);
    await change();
    release();
    for (const answer of await Promise.all(waiting)) {
      t.is(answer.status, 200, answer.text);
      t.false(answer.cut);
    }
    const after = llama.servers.map(({ ledger }) => ledger.length);
    t.is(
      after.reduce((sum, each) => sum + each, 0),
      before.reduce((sum, each) => sum + each, 0) + 8,
    );
    t.deepEqual([spare.servers[0]?.ledger.length, openai.ledger.length], others);
    llama.pick = () => ({ endpoint });
    t.is((await ask(gateway.port, { body: chat('llama-3') })).status, 200);
  });
