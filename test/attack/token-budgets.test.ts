import { Agent } from 'node:http';
import test from 'ava';
import { ask, chat, reportsOf, startAiWorld } from '../support/ai.ts';
import { thorough } from '../support/repetitions.ts';
import { until, untilFits } from '../support/until.ts';

// Tenants, clients and providers who want more of a budget than there is, or others to have less.

const policy = (name: string, spec: object, namespace = 'default'): object => ({
  apiVersion: 'gatewright.dev/v1alpha1',
  kind: 'TokenPolicy',
  metadata: { name, namespace },
  spec: { targetRefs: [{ group: 'gateway.networking.k8s.io', kind: 'HTTPRoute', name: 'ai' }], ...spec },
});
const monthly = (limit: number) => ({ budgets: [{ unit: 'Tokens', limit: String(limit), per: 'Month' }] });
const perTeam = { key: { type: 'Header', header: 'x-team' } };

test('a tenant’s policies raise no budget of another namespace, spend none, and see no request of it', async (t) => {
  const service = { group: 'gatewright.dev', kind: 'AIService', name: 'openai' };
  const objects = [
    policy('all', monthly(100)),
    policy('all', monthly(1_000_000), 'tenant'),
    policy('service', { ...monthly(1), targetRefs: [service] }, 'tenant'),
    // In one namespace all of them hold.
    policy('more', monthly(1_000_000)),
  ];
  const { gateway } = await startAiWorld(t, { objects });
  const { port } = gateway;
  const used = { input: 90, output: 30 };
  t.is((await ask(port, { body: chat('gpt-4o', { used }) })).status, 200);
  const over = await untilFits(
    'the budget to be counted',
    () => ask(port, { body: chat('gpt-4o', { used }) }),
    ({ status }) => status === 429,
  );
  t.regex(over.text, /100 tokens per month \(TokenPolicy default\/all\)/);
  const { budgets } = await reportsOf(gateway).cost();
  t.deepEqual(budgets.map(({ policy: name }) => name).sort(), ['default/all', 'default/more']);
});

thorough(test)(
  'a client that writes headers of ours counts for the budget that it counts for, and ends no hold of another request',
  async (t) => {
    const objects = [policy('all', monthly(1000))];
    const { gateway, openai } = await startAiWorld(t, { objects });
    const { port } = gateway;
    const forged = {
      'x-gw-ai-id': 'another',
      'x-gw-ai-route': 'httproute/default/another',
      'x-gw-ai-budgets': 'default%2Fanother%20key',
      'x-gw-ai-model': 'another',
      id: 'another',
      route: 'another',
    };
    const answer = { used: { input: 300, output: 100 } };
    t.is((await ask(port, { headers: forged, body: chat('gpt-4o', answer) })).status, 200);
    await untilFits(
      'it to be counted',
      () => reportsOf(gateway).cost(),
      ({ budgets }) => budgets[0]?.used === 400,
    );
    // Each is expected to use 400, and 600 are left.
    const slow = chat('gpt-4o', { ...answer, pause: 10_000, text: 'one two three four five' }, { stream: true });
    const before = openai.ledger.length;
    const agent = new Agent();
    const underWay = ask(port, { headers: forged, body: slow, agent }).catch(() => undefined);
    await until('it to be under way', () => openai.ledger.length > before);
    for (let round = 0; round < 4; round += 1) {
      const held = await ask(port, { headers: forged, body: chat('gpt-4o', answer) });
      t.is(held.status, 429);
      t.regex(held.text, /requests under way hold what is left/);
      t.is(held.headers['retry-after'], '1');
    }
    t.is(openai.ledger.length, before + 1);
    agent.destroy();
    await underWay;
    await untilFits(
      'the next to come through',
      () => ask(port, { headers: forged, body: chat('gpt-4o', answer) }),
      ({ status }) => status === 200,
    );
    await untilFits(
      'it to be counted',
      () => reportsOf(gateway).cost(),
      ({ budgets }) => budgets.length === 1 && (budgets[0]?.used ?? 0) >= 800,
    );
  },
);

thorough(test)(
  'a provider that lies about usage spends the budget of who asked it, and holds up no one else',
  async (t) => {
    const objects = [policy('per-team', { ...perTeam, ...monthly(10_000) })];
    const { gateway } = await startAiWorld(t, { objects });
    const { port } = gateway;
    const as = (team: string, behaviour: object) =>
      ask(port, { headers: { 'x-team': team }, body: chat('gpt-4o', behaviour) });
    const odd: readonly object[] = [
      { prompt_tokens: 5e9, completion_tokens: 1, total_tokens: 1 },
      { prompt_tokens: 1e18, completion_tokens: 1, total_tokens: 1 },
      { prompt_tokens: -5000, completion_tokens: -1, total_tokens: -1 },
      { prompt_tokens: '9', completion_tokens: null, total_tokens: {} },
      { prompt_tokens: 0.25, completion_tokens: 0.5, total_tokens: 0 },
    ];
    for (const [at, rawUsage] of odd.entries()) t.is((await as(`liar-${at}`, { rawUsage })).status, 200);
    await untilFits(
      'a lie to be counted',
      () => reportsOf(gateway).cost(),
      ({ budgets }) => budgets.some(({ key, used }) => key === 'liar-0' && used > 10_000),
    );
    // A budget service that is too late, on a busy machine, holds up no request.
    await untilFits(
      'the liar to be over the budget',
      () => as('liar-0', {}),
      ({ status }) => status === 429,
    );
    for (const { key, used } of (await reportsOf(gateway).cost()).budgets)
      t.true(Number.isSafeInteger(used) && used >= 0, `${key} ${used}`);
    const others = await Promise.all(Array.from({ length: 20 }, () => as('blue', { used: { input: 5, output: 5 } })));
    t.deepEqual([...new Set(others.map(({ status }) => status))], [200]);
    await untilFits(
      'the others to be counted',
      () => reportsOf(gateway).cost(),
      ({ budgets }) => budgets.some(({ key, used }) => key === 'blue' && used === 200),
    );
  },
);
