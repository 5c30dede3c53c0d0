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

/** What came of requests that waited at the picker while something changed. */
interface Held {
  readonly answers: readonly Awaited<ReturnType<typeof ask>>[];
  /** How many of them the pool's model servers were asked. */
  readonly heard: number;
  /** What others were asked meanwhile. */
  readonly strayed: number;
  /** The proxy gave up a connection to the picker before this one spoke. */
  readonly isCut: boolean;
}

async function heldDuring(change: () => Promise<void>): Promise<Held> {
  const { gateway, llama, spare, openai } = world;
  await world.pool({});
  const [endpoint = ''] = llama.endpoints;
  const heardBy = (servers: readonly { readonly ledger: readonly unknown[] }[]) =>
    servers.reduce((sum, { ledger }) => sum + ledger.length, 0);
  const others = [...spare.servers, openai];
  const [before, beforeOthers, { lost }] = [heardBy(llama.servers), heardBy(others), llama.picker];
  const { promise: released, resolve: release } = Promise.withResolvers<void>();
  llama.pick = async () => {
    await released;
    return { endpoint };
  };
  const asked = llama.picker.asked.length;
  const waiting = Array.from({ length: 8 }, (_, at) =>
    ask(gateway.port, { body: chat('llama-3', { text: 'one two three' }, { stream: at % 2 === 0 }) }),
  );
  await until('all to wait', async () => llama.picker.asked.length === asked + 8 || llama.picker.lost > lost);
  await change();
  const isCut = llama.picker.lost > lost;
  release();
  const answers = await Promise.all(waiting);
  llama.pick = () => ({ endpoint });
  return { answers, heard: heardBy(llama.servers) - before, strayed: heardBy(others) - beforeOthers, isCut };
}

for (const [what, change] of Object.entries(changes))
  test.serial(`requests that wait at a picker, and answers that stream, end well while ${what}`, async (t) => {
    let held = await heldDuring(change);
    // Where this process stands still for six seconds, the proxy gives the picker up, and what waits there: of the change that says nothing.
    for (let tries = 1; held.isCut && tries < 3; tries += 1) held = await heldDuring(change);
    for (const answer of held.answers) {
      t.is(answer.status, 200, answer.text);
      t.false(answer.cut);
    }
    t.is(held.heard, 8);
    t.is(held.strayed, 0);
    t.is((await ask(world.gateway.port, { body: chat('llama-3') })).status, 200);
  });
