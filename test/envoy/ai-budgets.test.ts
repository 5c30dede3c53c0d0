import test from 'ava';
import { parseAllDocuments } from 'yaml';
import { aiRule, aiService, ask, chat, reportsOf, startAiWorld, untilListed } from '../support/ai.ts';
import { Judged, limitHeader } from '../support/judged.ts';
import { pause } from '../support/pace.ts';
import { thorough } from '../support/repetitions.ts';
import { routeObject, type Standalone, textOf } from '../support/standalone.ts';
import { until, untilFits } from '../support/until.ts';

const policy = (name: string, spec: object): object => ({
  apiVersion: 'gatewright.dev/v1alpha1',
  kind: 'TokenPolicy',
  metadata: { name },
  spec: { targetRefs: [{ group: 'gateway.networking.k8s.io', kind: 'HTTPRoute', name: 'ai' }], ...spec },
});

interface Named {
  readonly kind: string;
  readonly metadata: { readonly name: string };
}

const readAllDocuments = (gateway: Standalone): readonly Named[] =>
  parseAllDocuments(textOf(gateway, 'ai.yaml')).map((document) => document.toJS() as Named);

const jwt = (claims: object): string => `Bearer e30.${Buffer.from(JSON.stringify(claims)).toString('base64url')}.x`;

test('each key has its budget of tokens, and 429 with the headers that clients know when it is used up', async (t) => {
  const perTeam = policy('per-team', {
    key: { type: 'Header', header: 'x-team' },
    budgets: [{ unit: 'Tokens', limit: '100', per: 'Month' }],
  });
  const { gateway, openai } = await startAiWorld(t, { objects: [perTeam] });
  const { port } = gateway;
  const reports = reportsOf(gateway);
  const body = chat('gpt-4o', { used: { input: 80, output: 30 } });
  const judged = new Judged(port);
  const first = await judged.ask({ headers: { 'x-team': 'red' }, body });
  t.is(first.status, 200, first.text);
  t.is(first.headers[limitHeader], '100');
  t.is(first.headers['x-ratelimit-remaining-tokens'], '100');
  await until('the budget to be counted', async () => (await reports.cost()).budgets.length === 1);
  const second = await judged.ask({ headers: { 'x-team': 'red' }, body });
  t.is(second.status, 429);
  t.is(JSON.parse(second.text).error.code, 'rate_limit_exceeded');
  t.regex(second.headers['content-type'] ?? '', /json/);
  t.is(second.headers['x-ratelimit-remaining-tokens'], '0');
  t.true(Number(second.headers['retry-after']) > 0);
  const other = await judged.ask({
    headers: { 'x-team': 'blue', 'x-gw-ai-budgets': 'default%2Fper-team%20red' },
    body,
  });
  t.is(other.status, 200);
  t.is(openai.ledger.length, 2 + judged.passedBy);
  const { budgets } = await untilFits(
    'both to be counted',
    () => reports.cost(),
    (report) => report.budgets.length === 2,
  );
  t.deepEqual(budgets.map(({ policy: name, key, used, limit }) => [name, key, used, limit]).sort(), [
    ['default/per-team', 'blue', 110, 100],
    ['default/per-team', 'red', 110, 100],
  ]);
  t.is(
    (
      await untilFits(
        'it to be reported',
        () => reports.overview(),
        ({ totalRequests }) => totalRequests === 3 + judged.passedBy,
      )
    ).limitedRequests,
    1,
  );
});

thorough(test)('budgets of money, of a claim, and such that only watch', async (t) => {
  const objects = [
    policy('money', {
      key: { type: 'JWTClaim', claim: 'sub' },
      budgets: [{ unit: 'Cost', limit: '0.0001', per: 'Day' }],
    }),
    policy('watch', { onLimit: 'Shadow', budgets: [{ unit: 'Tokens', limit: '1', per: 'Day' }] }),
  ];
  const { gateway } = await startAiWorld(t, { objects });
  const { port } = gateway;
  const reports = reportsOf(gateway);
  const body = chat('gpt-4o', { used: { input: 100, output: 100 } });
  const ali = { authorization: jwt({ sub: 'ali' }) };
  const judged = new Judged(port);
  t.is((await judged.ask({ headers: ali, body })).status, 200);
  await until('the budget to be counted', async () => (await reports.cost()).budgets.length === 2);
  t.is((await judged.ask({ headers: ali, body })).status, 429);
  t.is((await judged.ask({ headers: { authorization: jwt({ sub: 'bea' }) }, body })).status, 200);
});

thorough(test)(
  'a policy that names nothing says so, and a service or a key that is gone costs its own requests alone',
  async (t) => {
    const { gateway, anthropic } = await startAiWorld(t, {
      objects: [
        policy('lost', {
          targetRefs: [{ group: 'gatewright.dev', kind: 'AIService', name: 'missing' }],
          budgets: [{ unit: 'Tokens', limit: '1', per: 'Day' }],
        }),
        aiService('keyless', 1, {
          provider: 'openai',
          models: [{ name: 'keyless' }],
          auth: { secretRef: { name: 'gone' } },
        }),
        routeObject('keyless', 'keyless.test', [aiRule('keyless')]),
      ],
    });
    const { port, control } = gateway;
    const message = (kind: 'TokenPolicy' | 'AIService', key: string, type: string) => {
      const status = control.graph.statusOf(kind, key);
      const conditions = status && 'conditions' in status ? status.conditions : [];
      return conditions.find((condition) => condition.type === type);
    };
    t.like(message('TokenPolicy', 'default/lost', 'Accepted'), { status: 'False', reason: 'TargetNotFound' });
    t.like(message('AIService', 'default/keyless', 'ResolvedRefs'), {
      status: 'False',
      reason: 'InvalidCredentialRef',
    });
    const rejected = await ask(port, { host: 'keyless.test', body: chat('keyless') });
    t.is(rejected.status, 503);
    t.is(JSON.parse(rejected.text).error.code, 'service_unavailable');
    t.is((await ask(port, { body: chat('gpt-4o') })).status, 200);
    // The key of the first provider goes: the second one answers for its models.
    const before = anthropic.ledger.length;
    gateway.write(
      'ai.yaml',
      ...readAllDocuments(gateway).filter(({ kind, metadata }) => kind !== 'Secret' || metadata.name !== 'openai'),
    );
    await until(
      'the service to be passed by',
      () => message('AIService', 'default/openai', 'ResolvedRefs')?.status === 'False',
    );
    await untilFits(
      'the other one to answer',
      () => ask(port, { body: chat('gpt-4o') }),
      () => anthropic.ledger.length > before,
    );
    t.is((await ask(port, { body: chat('fast') })).status, 503);
  },
);

thorough(test)('a budget of each model, and one of a service, whichever route it is used by', async (t) => {
  const objects = [
    policy('models', { key: { type: 'Model' }, budgets: [{ unit: 'Tokens', limit: '100', per: 'Hour' }] }),
    policy('service', {
      targetRefs: [{ group: 'gatewright.dev', kind: 'AIService', name: 'anthropic' }],
      budgets: [{ unit: 'Tokens', limit: '50', per: 'Day' }],
    }),
    routeObject('second', 'second.test', [aiRule('anthropic')]),
  ];
  const { gateway } = await startAiWorld(t, { objects });
  const { port } = gateway;
  const reports = reportsOf(gateway);
  await untilListed(gateway, 'second.test');
  const judged = new Judged(port);
  const used = { input: 60, output: 60 };
  t.is((await judged.ask({ body: chat('gpt-4o', { used }) })).status, 200);
  await until('the model to be counted', async () => (await reports.cost()).budgets.length === 1);
  const limited = await judged.ask({ body: chat('gpt-4o', { used }) });
  t.is(limited.status, 429);
  t.regex(limited.text, /100 tokens per hour \(TokenPolicy default\/models\)/);
  t.is((await judged.ask({ body: chat('fast') })).status, 200, 'another model');
  t.is((await judged.ask({ host: 'second.test', body: chat('claude-sonnet-4-5', { used }) })).status, 200);
  await until('the service to be counted', async () =>
    (await reports.cost()).budgets.some(({ policy: name }) => name === 'default/service'),
  );
  t.is((await judged.ask({ host: 'second.test', body: chat('claude-sonnet-4-5') })).status, 429);
  // Keyed by route, each has its own.
  t.is((await judged.ask({ body: chat('claude-sonnet-4-5') })).status, 200);
});

thorough(test)('while there is no control plane to ask, requests pass, and the proxy stays up', async (t) => {
  const objects = [policy('all', { budgets: [{ unit: 'Tokens', limit: '1', per: 'Month' }] })];
  const { gateway, openai } = await startAiWorld(t, { objects });
  const { port } = gateway;
  const statuses = new Set<number>();
  let isOver = false;
  const client = async () => {
    while (!isOver) {
      statuses.add((await ask(port, { body: chat('gpt-4o', undefined, { stream: true }) })).status);
      await pause();
    }
  };
  const running = Promise.all([client(), client(), client(), client()]);
  await until('the budget to be used up', () => statuses.has(429));
  await gateway.control.xds.close();
  statuses.clear();
  const before = openai.ledger.length;
  await until('requests to pass again', () => openai.ledger.length > before + 50);
  isOver = true;
  await running;
  t.true(
    [...statuses].every((status) => status === 200 || status === 429),
    [...statuses].join(),
  );
});
