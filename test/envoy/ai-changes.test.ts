import test from 'ava';
import { freePort } from '../../scripts/free-port.ts';
import { loadConfig } from '../../src/config/index.ts';
import {
  type AiAnswer,
  aiRule,
  aiService,
  ask,
  chat,
  credential,
  fakeProvider,
  startAiGateway,
} from '../support/ai.ts';
import { pause } from '../support/pace.ts';
import { isCurrent, routeObject } from '../support/standalone.ts';
import { until } from '../support/until.ts';

const clients = 4;

/** Asks until it is stopped; `body` of each request is a stream's or not, in turn. */
function startLoad(port: number, host: string) {
  const answers: AiAnswer[] = [];
  let isOver = false;
  const client = async () => {
    while (!isOver) {
      answers.push(await ask(port, { host, body: chat('m', undefined, { stream: answers.length % 2 === 0 }) }));
      await pause();
    }
  };
  const running = Promise.all(Array.from({ length: clients }, client));
  return {
    answers,
    /** Until so many more were answered. */
    more: async (count = 50) => {
      const target = answers.length + count;
      await until(`${count} more answers`, () => answers.length >= target);
    },
    stop: async () => {
      isOver = true;
      await running;
      return answers;
    },
  };
}

const isWhole = ({ status, text, cut }: AiAnswer): boolean =>
  status === 200 && !cut && (text.startsWith('{') || text.includes('[DONE]'));

/** The gateway's own answer where there is no route, which has no body. */
const isUnknown = ({ status, text }: AiAnswer): boolean => status === 404 && text === '';

/** The service `one`, which is at that port unless a version of it says another. */
const serviceAt =
  (home: number) =>
  (more: object = {}, port = home) =>
    aiService('one', port, {
      provider: 'openai',
      models: [{ name: 'm' }],
      auth: { secretRef: { name: 'one' } },
      ...more,
    });

const route = (...services: readonly string[]) => routeObject('ai', 'ai.test', [aiRule(...services)]);

const untilServed = (port: number) =>
  until(
    'models to be served',
    async () => (await ask(port, { body: chat('m') }).catch(() => undefined))?.status === 200,
  );

const summary = (answers: readonly AiAnswer[]): string =>
  JSON.stringify(answers.slice(0, 5).map(({ status, text, cut }) => [status, cut, text.slice(0, 200)]));

test('a new host of AIServices answers 404 until it is there, and 200 then, and nothing else', async (t) => {
  const server = await fakeProvider(t, 'openai');
  const gateway = await startAiGateway({
    'other.yaml': [routeObject('other', 'other.test', [{ backendRefs: [{ name: 'none', port: 80 }] }])],
  });
  t.teardown(() => gateway.stop());
  await until(
    'the gateway to answer',
    async () => (await gateway.get('other.test').catch(() => undefined))?.status === 500,
  );
  const surprises: AiAnswer[] = [];
  for (let round = 0; round < 8; round++) {
    const host = `ai-${round}.test`;
    const load = startLoad(gateway.port, host);
    await load.more(20);
    const name = `s${round}`;
    gateway.write(
      `${name}.yaml`,
      credential(name, 'sk-one'),
      aiService(name, server.port, { provider: 'openai', models: [{ name: 'm' }], auth: { secretRef: { name } } }),
      routeObject(name, host, [aiRule(name)]),
    );
    await until('the first answer', () => load.answers.some(({ status }) => status === 200));
    await load.more(30);
    const answers = await load.stop();
    // Each of the proxy's threads has it at its own time.
    surprises.push(...answers.filter((answer) => !isWhole(answer) && !isUnknown(answer)));
    t.true(answers.slice(-clients).every(isWhole), 'and 200 in the end');
  }
  t.is(surprises.length, 0, summary(surprises));
});

test('whatever changes of a service or a policy, requests that it is used by see nothing of it', async (t) => {
  const [one, two] = [await fakeProvider(t, 'openai'), await fakeProvider(t, 'anthropic')];
  const service = serviceAt(one.port);
  const spare = aiService('two', two.port, { provider: 'anthropic', models: [{ name: 'm', as: 'claude' }] });
  const gateway = await startAiGateway({
    'secret.yaml': [credential('one', 'sk-one')],
    'service.yaml': [service()],
    'route.yaml': [route('one')],
  });
  t.teardown(() => gateway.stop());
  await untilServed(gateway.port);
  const policy = {
    apiVersion: 'gatewright.dev/v1alpha1',
    kind: 'TokenPolicy',
    metadata: { name: 'all' },
    spec: {
      targetRefs: [{ group: 'gateway.networking.k8s.io', kind: 'HTTPRoute', name: 'ai' }],
      budgets: [{ unit: 'Tokens', limit: '100000000', per: 'Day' }],
    },
  };
  const steps: Readonly<Record<string, () => void>> = {
    'another key': () => gateway.write('secret.yaml', credential('one', 'sk-two')),
    'a spare without use': () => gateway.write('spare.yaml', spare),
    'a fallback': () => gateway.write('service.yaml', service({ fallback: [{ name: 'two' }] })),
    'other models and prices': () =>
      gateway.write(
        'service.yaml',
        service({
          models: [
            { name: 'm', price: { input: '1', output: '2' } },
            { name: 'n', as: 'o' },
          ],
          fallback: [{ name: 'two' }],
        }),
      ),
    'other timeouts': () =>
      gateway.write(
        'service.yaml',
        service({ fallback: [{ name: 'two' }], timeouts: { firstToken: '9s', streamIdle: '8s' } }),
      ),
    'a budget': () => gateway.write('policy.yaml', policy),
    'no budget': () => gateway.remove('policy.yaml'),
    'a second service in the rule': () => gateway.write('route.yaml', route('one', 'two')),
    'another provider': () =>
      gateway.write('service.yaml', aiService('one', two.port, { provider: 'anthropic', models: [{ name: 'm' }] })),
    'the first one again': () => gateway.write('service.yaml', service()),
    'connections that are kept for less long': () =>
      gateway.write('service.yaml', service({ timeouts: { connectionIdle: '1s' } })),
    'connections that are not kept': () =>
      gateway.write('service.yaml', service({ timeouts: { connectionIdle: '0s' } })),
    'one service in the rule': () => gateway.write('route.yaml', route('one')),
    'no spare': () => gateway.remove('spare.yaml'),
  };
  const surprises: [string, AiAnswer][] = [];
  const load = startLoad(gateway.port, 'ai.test');
  await load.more();
  for (const [title, change] of Object.entries(steps)) {
    const before = gateway.control.graph.snapshot()?.id;
    const from = load.answers.length;
    change();
    if (title !== 'a spare without use' && title !== 'no spare')
      await until(`${title} to be another snapshot`, () => gateway.control.graph.snapshot()?.id !== before);
    await until(`${title} to be applied`, () => isCurrent(gateway));
    await load.more();
    surprises.push(
      ...load.answers.slice(from).flatMap((answer): [string, AiAnswer][] => (isWhole(answer) ? [] : [[title, answer]])),
    );
  }
  const answers = await load.stop();
  t.log(`${answers.length} answers`);
  t.deepEqual(
    surprises.map(([title, answer]) => `${title}: ${summary([answer])}`),
    [],
  );
  t.true(one.ledger.some(({ headers }) => headers.authorization === 'Bearer sk-two'));
  t.true(two.ledger.length > 0);
});

test('an answer that has begun goes on to its end, whatever changes meanwhile', async (t) => {
  const [one, two] = [await fakeProvider(t, 'openai'), await fakeProvider(t, 'openai')];
  const service = serviceAt(one.port);
  const spare = aiService('two', two.port, { provider: 'openai', models: [{ name: 'm' }] });
  const { dataplane } = loadConfig(undefined, {});
  const agentPort = await freePort();
  const gateway = await startAiGateway(
    { 'secret.yaml': [credential('one', 'sk-one')], 'service.yaml': [service(), spare], 'route.yaml': [route('one')] },
    // What is replaced may go on for so long: an answer that is still on it then is cut off.
    { config: { dataplane: { ...dataplane, drainTimeMs: 1000, adminListen: { port: agentPort } } } },
  );
  t.teardown(() => gateway.stop());
  await untilServed(gateway.port);
  const changes = [
    () => gateway.write('service.yaml', service({ models: [{ name: 'm', as: 'n' }, { name: 'more' }] }), spare),
    () =>
      gateway.write('service.yaml', service({ timeouts: { streamIdle: '9s' }, fallback: [{ name: 'two' }] }), spare),
    () => gateway.write('service.yaml', service({ auth: { secretRef: { name: 'one' }, header: 'x-key' } }), spare),
    () => gateway.write('service.yaml', service({ timeouts: { connectionIdle: '0s' } }), spare),
    () => gateway.write('route.yaml', route('one', 'two')),
    () => gateway.write('service.yaml', service({}, two.port), spare),
    () => gateway.write('route.yaml', route('two')),
  ];
  const slow = { text: 'word '.repeat(30), pause: 200 };
  const answers: Promise<AiAnswer>[] = [];
  for (const change of changes) {
    const asked = one.ledger.length + two.ledger.length;
    answers.push(ask(gateway.port, { body: chat('m', slow, { stream: true }) }));
    await until('it to be asked', () => one.ledger.length + two.ledger.length > asked);
    const before = gateway.control.graph.snapshot()?.id;
    change();
    await until('another snapshot', () => gateway.control.graph.snapshot()?.id !== before);
    await until('it to be applied', () => isCurrent(gateway));
  }
  for (const [index, answer] of (await Promise.all(answers)).entries())
    t.true(isWhole(answer), `${index}: ${summary([answer])} … ${answer.text.slice(-200)}`);
});
