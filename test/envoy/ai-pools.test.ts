import test from 'ava';
import { ask, chat, reportsOf } from '../support/ai.ts';
import { type AiPoolWorld, startAiPoolWorld } from '../support/ai-pool-world.ts';
import { endings } from '../support/endings.ts';
import { Judged } from '../support/judged.ts';
import { every, thorough } from '../support/repetitions.ts';
import { until, untilFits } from '../support/until.ts';

/** AIServices that are InferencePools, through the running program and a real Envoy. */

const ends = endings(test);
let world: AiPoolWorld;

test.before(async () => {
  world = await startAiPoolWorld(ends);
});

test.beforeEach(() => {
  for (const pool of [world.llama, world.spare]) pool.pick = () => ({ endpoint: pool.endpoints[0] ?? '' });
});

const question = (body: object, headers: Readonly<Record<string, string>> = {}) =>
  ask(world.gateway.port, { body, headers });

/** The newest request with this session, when all of it is reported. */
const traceOf = async (model: string, attempts: number) => {
  const found = await untilFits(
    'the request to be reported',
    async () => (await reportsOf(world.gateway).traces()).items.filter((item) => item.model === model),
    ([newest]) => newest?.attempts.length === attempts,
  );
  return found[0];
};

test.serial('a picker sees the model by its own name, and the server that it picks answers', async (t) => {
  const { llama } = world;
  for (const [index, endpoint] of llama.endpoints.entries()) {
    llama.pick = () => ({ endpoint });
    const before = llama.servers[index]?.ledger.length ?? 0;
    const answer = await question(chat('sql', { used: { input: 30, output: 5 } }));
    t.is(answer.status, 200, answer.text);
    t.is(llama.servers[index]?.ledger.length, before + 1);
    t.is(llama.servers[index]?.ledger.at(-1)?.body.model, 'sql-lora');
    t.is(JSON.parse(llama.picker.asked.at(-1)?.body ?? '{}').model, 'sql-lora');
    for (const name of Object.keys(answer.headers)) t.false(name.startsWith('x-gw-'), name);
    const trace = await untilFits(
      'the request to be reported',
      async () => (await traceOf('sql', 1))?.attempts[0]?.pick,
      (pick) => pick?.endpoint === endpoint,
    );
    t.deepEqual(trace, { pool: 'default/llama', outcome: 'picked', endpoint, named: [endpoint] });
  }
});

const attemptsOf = async (model: string, attempts: number) =>
  ((await traceOf(model, attempts))?.attempts ?? []).map(({ service, status, pick }) => [
    service,
    status,
    pick?.outcome ?? null,
    pick?.endpoint ?? null,
  ]);

thorough(test.serial)(
  'what is used is reported to the token, and how long its parts took, streamed or not',
  async (t) => {
    const { llama } = world;
    const before = await reportsOf(world.gateway).usage('?groupBy=service');
    const usedBy = async () =>
      (await reportsOf(world.gateway).usage('?groupBy=service')).series
        .filter(({ service }) => service === 'default/llama')
        .reduce((sum, { totalTokens }) => sum + totalTokens, 0);
    const known = before.series
      .filter(({ service }) => service === 'default/llama')
      .reduce((sum, { totalTokens }) => sum + totalTokens, 0);
    for (const stream of [false, true]) {
      const answer = await question(
        chat('llama-3', { text: 'one two three', used: { input: 40, output: 10 } }, { stream }),
      );
      t.is(answer.status, 200, answer.text);
    }
    t.deepEqual(llama.servers[0]?.ledger.at(-1)?.body.stream_options, { include_usage: true });
    await untilFits('both to be counted', usedBy, (tokens) => tokens === known + 100);
    const trace = await untilFits(
      'the streamed one to be reported',
      () => traceOf('llama-3', 1),
      (found) => found?.stream === true,
    );
    t.is(trace?.usageStatus, 'complete');
    t.is(trace?.cost, (40 * 1 + 10 * 2) / 1e6);
    t.true((trace?.attempts[0]?.timeToFirstTokenMs ?? -1) >= 0);
    t.true((trace?.attempts[0]?.timePerOutputTokenMs ?? -1) >= 0);
    const service = (await reportsOf(world.gateway).services()).find(({ name }) => name === 'llama');
    t.is(service?.endpoint, 'inferencepool/default/llama');
    t.deepEqual(service?.pool, {
      name: 'llama',
      endpoints: { ready: 2, total: 2 },
      picker: { service: 'llama', failureMode: 'FailClose' },
    });
    t.not(service?.last5m.timeToFirstTokenMs.p50, null);
    const { control } = world.gateway;
    const { body } = await world.gateway.json(control.ports.layout1, '/v1/backends?namespace=default&name=llama:0');
    t.deepEqual(
      (body as readonly { readonly kind: string; readonly endpoints: readonly object[] }[]).map(
        ({ kind, endpoints }) => [kind, endpoints.length],
      ),
      [['AIService', 2]],
    );
    t.not(service?.last5m.timePerOutputTokenMs.p95, null);
  },
);

for (const [trouble, pick, outcome] of every(4, [
  ['sheds a request', { status: 429, body: 'full' }, 'answered'],
  ['is without capacity', { status: 503 }, 'answered'],
  ['ends its stream', 'end', 'failed'],
  ['ends its connection', 'death', 'failed'],
  ['says what is no answer', 'garbage', 'failed'],
] as const)) {
  test.serial(
    `where the picker of a pool ${trouble}, the next pool answers, and then the provider outside`,
    async (t) => {
      const { llama, spare, openai } = world;
      const [own, outside] = [llama.servers.flatMap(({ ledger }) => ledger).length, openai.ledger.length];
      llama.pick = () => pick;
      const second = await question(chat('llama-3'), { authorization: 'Bearer client' });
      t.is(second.status, 200, second.text);
      t.is(spare.servers[0]?.ledger.at(-1)?.headers.authorization, undefined);
      t.is(openai.ledger.length, outside);
      t.deepEqual(
        await untilFits(
          'both tries to be reported',
          () => attemptsOf('llama-3', 2),
          (tries) => tries[0]?.[2] === outcome,
        ),
        [
          ['default/llama', typeof pick === 'string' ? 503 : pick.status, outcome, null],
          ['default/spare', 200, 'picked', spare.endpoints[0] ?? ''],
        ],
      );
      spare.pick = () => pick;
      const third = await question(chat('llama-3'));
      t.is(third.status, 200, third.text);
      t.is(openai.ledger.length, outside + 1);
      t.is(openai.ledger.at(-1)?.headers.authorization, 'Bearer sk-one');
      t.is(openai.ledger.at(-1)?.body.model, 'gpt-4o-mini');
      t.deepEqual((await attemptsOf('llama-3', 3)).at(-1), ['default/openai', 200, null, null]);
      t.is(llama.servers.flatMap(({ ledger }) => ledger).length, own, 'no model server of the pool was asked');
    },
  );
}

thorough(test.serial)('a pool that fails open is asked without its picker before another service is', async (t) => {
  const { llama, spare } = world;
  await world.pool({ failureMode: 'FailOpen' });
  t.teardown(() => world.pool({}));
  const others = spare.picker.asked.length;
  llama.pick = () => 'death';
  const answer = await question(chat('llama-3'));
  t.is(answer.status, 200, answer.text);
  t.is(spare.picker.asked.length, others);
  const [attempt] = await untilFits(
    'it to be reported',
    () => attemptsOf('llama-3', 1),
    ([first]) => first?.[2] === 'any',
  );
  t.true(llama.endpoints.includes(String(attempt?.[3])), String(attempt));
});

thorough(test.serial)(
  'a pool without Pods, without its picker’s Service or without being there is passed by',
  async (t) => {
    const { gateway, llama, spare } = world;
    t.teardown(() => world.pool({}));
    const own = llama.servers.flatMap(({ ledger }) => ledger).length;
    for (const spec of [{ app: 'nothing' }, { picker: 'nothing' }]) {
      await world.pool(spec);
      const before = spare.picker.asked.length;
      const answer = await question(chat('llama-3'));
      t.is(answer.status, 200, `${JSON.stringify(spec)}: ${answer.text}`);
      t.is(spare.picker.asked.length, before + 1);
    }
    gateway.remove('pool.yaml');
    const conditions = () => {
      const status = gateway.control.graph.statusOf('AIService', 'default/llama');
      return status && 'conditions' in status ? status.conditions.map(({ type, reason }) => `${type} ${reason}`) : [];
    };
    await untilFits('the service to say so', conditions, (found) => found.includes('ResolvedRefs BackendNotFound'));
    await world.settled();
    t.is((await question(chat('llama-3'))).status, 200);
    t.is((await question(chat('sql'))).status, 503, 'nothing else has this model');
    t.is(llama.servers.flatMap(({ ledger }) => ledger).length, own);
  },
);

test.serial('a pool that names no picker is asked, and reports which of its servers answered', async (t) => {
  await world.pool({ picker: null });
  t.teardown(() => world.pool({}));
  const answer = await question(chat('sql'));
  t.is(answer.status, 200, answer.text);
  const [attempt] = await untilFits(
    'it to be reported',
    () => attemptsOf('sql', 1),
    ([first]) => first?.[2] === 'any',
  );
  t.true(world.llama.endpoints.includes(String(attempt?.[3])), String(attempt));
});

thorough(test.serial)(
  'a budget of tokens is used up by what a pool answers, and holds before its picker is asked',
  async (t) => {
    const { gateway, llama } = world;
    const reports = reportsOf(gateway);
    gateway.write('budget.yaml', {
      apiVersion: 'gatewright.dev/v1alpha1',
      kind: 'TokenPolicy',
      metadata: { name: 'per-team' },
      spec: {
        targetRefs: [{ group: 'gatewright.dev', kind: 'AIService', name: 'llama' }],
        key: { type: 'Header', header: 'x-team' },
        budgets: [{ unit: 'Tokens', limit: '50', per: 'Month' }],
      },
    });
    t.teardown(async () => {
      gateway.remove('budget.yaml');
      await world.settled();
    });
    await world.settled();
    const body = chat('llama-3', { used: { input: 40, output: 20 } }, { stream: true });
    const judged = new Judged(gateway.port);
    t.is((await judged.ask({ body, headers: { 'x-team': 'red' } })).status, 200);
    await until('the budget to be counted', async () => (await reports.cost()).budgets.length === 1);
    const [asked, { passedBy }] = [llama.picker.asked.length, judged];
    t.is((await judged.ask({ body, headers: { 'x-team': 'red' } })).status, 429);
    t.is(llama.picker.asked.length, asked + judged.passedBy - passedBy);
    t.is((await judged.ask({ body, headers: { 'x-team': 'blue' } })).status, 200);
  },
);

thorough(test.serial)('a picker that is silent costs no more than the time for the first token', async (t) => {
  const hasty = await startAiPoolWorld(t, { service: { timeouts: { firstToken: '1s' } } });
  hasty.llama.pick = () => 'silence';
  const answer = await ask(hasty.gateway.port, { body: chat('llama-3') });
  t.is(answer.status, 200, answer.text);
  t.is(hasty.spare.servers[0]?.ledger.length, 1);
  t.is(hasty.llama.servers.flatMap(({ ledger }) => ledger).length, 0);
});
