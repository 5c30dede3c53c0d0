import test from 'ava';
import { aiRule, aiService, ask, chat, fakeProvider, startAiGateway, untilListed } from '../support/ai.ts';
import { routeObject } from '../support/standalone.ts';
import { until } from '../support/until.ts';

const requests = 1000;
const atOnce = 20;

/** Far beyond what chance does: more than six standard deviations, once in a thousand million runs. */
const isNear = (seen: number, share: number): boolean =>
  Math.abs(seen - requests * share) < 6.2 * Math.sqrt(requests * share * (1 - share));

const weighted = (weights: Readonly<Record<string, number>>) => ({
  backendRefs: Object.entries(weights).map(([name, weight]) => ({
    group: 'gatewright.dev',
    kind: 'AIService',
    name,
    weight,
  })),
});

async function send(port: number, body: object, host: string): Promise<void> {
  const left = Array.from({ length: requests }, (_, n) => n);
  await Promise.all(
    Array.from({ length: atOnce }, async () => {
      while (left.pop() !== undefined) {
        const { status } = await ask(port, { host, body });
        if (status !== 200) throw new Error(`answered ${status}`);
      }
    }),
  );
}

test('services of a rule with the same model share its requests by weight', async (t) => {
  const servers = [
    await fakeProvider(t, 'openai'),
    await fakeProvider(t, 'openai'),
    await fakeProvider(t, 'anthropic'),
  ] as const;
  const [one, two, three] = servers;
  const gateway = await startAiGateway({
    'ai.yaml': [
      aiService('one', one.port, { provider: 'openai', models: [{ name: 'm' }] }),
      aiService('two', two.port, { provider: 'openai', models: [{ name: 'm', as: 'n' }] }),
      aiService('three', three.port, { provider: 'anthropic', models: [{ name: 'm' }] }),
      routeObject('two', 'two.test', [weighted({ one: 9, two: 1 })]),
      routeObject('three', 'three.test', [weighted({ one: 5, two: 3, three: 2 })]),
      routeObject('out', 'out.test', [weighted({ one: 0, two: 7 })]),
      routeObject('none', 'none.test', [weighted({ one: 0, two: 0 })]),
    ],
  });
  t.teardown(() => gateway.stop());
  for (const host of ['two.test', 'three.test', 'out.test']) await untilListed(gateway, host);
  const { port } = gateway;
  let before = servers.map(({ ledger }) => ledger.length);
  const seen = () => {
    const now = servers.map(({ ledger }) => ledger.length);
    const counts = now.map((count, index) => count - (before[index] ?? 0));
    before = now;
    return counts;
  };

  await send(port, chat('m'), 'two.test');
  const [mine = 0, theirs = 0] = seen();
  t.is(mine + theirs, requests);
  t.true(isNear(theirs, 0.1), `${mine} and ${theirs}`);
  t.true(
    two.ledger.every(({ body }) => body.model === 'n'),
    'each in its own words',
  );

  await send(port, chat('m', undefined, { stream: true }), 'three.test');
  const counts = seen();
  for (const [index, share] of [0.5, 0.3, 0.2].entries()) t.true(isNear(counts[index] ?? 0, share), counts.join());

  await send(port, chat('m'), 'out.test');
  t.deepEqual(seen(), [0, requests, 0], 'weight 0 is none');
  t.is((await ask(port, { host: 'none.test', body: chat('m') })).status, 500, 'as of any rule without a backend');
});

test('a share falls back as its own service says', async (t) => {
  const [one, two, spare] = [
    await fakeProvider(t, 'openai'),
    await fakeProvider(t, 'openai'),
    await fakeProvider(t, 'anthropic'),
  ];
  const gateway = await startAiGateway({
    'ai.yaml': [
      aiService('one', one.port, { provider: 'openai', models: [{ name: 'm' }], fallback: [{ name: 'spare' }] }),
      aiService('two', two.port, { provider: 'openai', models: [{ name: 'm' }] }),
      aiService('spare', spare.port, {
        provider: 'anthropic',
        models: [{ name: 'claude' }, { name: 'm', as: 'claude', fallbackOnly: true }],
      }),
      routeObject('ai', 'ai.test', [aiRule('one', 'two', 'spare')]),
    ],
  });
  t.teardown(() => gateway.stop());
  await untilListed(gateway, 'ai.test');
  const statuses: number[] = [];
  await until('both to be asked', async () => {
    const { status } = await ask(gateway.port, { body: chat('m', { only: 'openai', status: 500 }) });
    statuses.push(status);
    return one.ledger.length >= 3 && two.ledger.length >= 3;
  });
  t.is(statuses.filter((status) => status === 200).length, one.ledger.length, 'with a spare');
  t.is(statuses.filter((status) => status === 500).length, two.ledger.length, 'without one, and asked once');
  t.is(spare.ledger.length, one.ledger.length);
});
