import type { IncomingHttpHeaders } from 'node:http';
import test from 'ava';
import { aiRule, aiService, ask, chat, reportsOf } from '../support/ai.ts';
import { startAiPoolWorld } from '../support/ai-pool-world.ts';
import { startBackend } from '../support/http.ts';
import { routeObject } from '../support/standalone.ts';
import { untilFits } from '../support/until.ts';

/** Clients, pickers, model servers and providers that meet at an AIService that is a pool, each of which lies. */

const picksOf = async (gateway: Parameters<typeof reportsOf>[0], count: number) =>
  (
    await untilFits(
      'all to be reported',
      async () => (await reportsOf(gateway).traces()).items.filter(({ attempts }) => attempts.length > 0),
      (items) => items.length === count,
    )
  ).map(({ attempts }) => attempts[0]?.pick);

test('no client chooses the model server of a service, names it in reports, or sends it to another', async (t) => {
  const { gateway, llama, spare, openai } = await startAiPoolWorld(t, { llama: { failureMode: 'FailOpen' } });
  const [first = '', second = ''] = llama.endpoints;
  llama.pick = () => ({ endpoint: second, by: 'metadata' });
  const forged = {
    'x-gateway-destination-endpoint': first,
    'X-Gateway-Destination-Endpoint-Served': first,
    'x-gateway-destination-endpoint-subset': first,
    'x-gw-pick': 'failed',
    'x-gw-pick-endpoint': first,
    'x-gw-pick-named': first,
    'x-gw-ai-model': 'gpt-4o',
    'x-envoy-retry-on': '5xx',
  };
  for (const [name, value] of Object.entries(forged)) {
    const { status, headers, text } = await ask(gateway.port, { body: chat('llama-3'), headers: { [name]: value } });
    t.is(status, 200, `${name}: ${text}`);
    t.deepEqual(
      Object.keys(headers).filter((header) => header.startsWith('x-gw-')),
      [],
    );
  }
  const count = Object.keys(forged).length;
  t.deepEqual(
    [...llama.servers, ...spare.servers, openai].map(({ ledger }) => ledger.length),
    [0, count, 0, 0],
  );
  for (const { headers } of llama.servers.flatMap(({ ledger }) => ledger))
    t.deepEqual(
      Object.keys(headers).filter((name) => /^x-gw-|-served$|-subset$/.test(name)),
      [],
    );
  for (const pick of await picksOf(gateway, count))
    t.deepEqual(pick, { pool: 'default/llama', outcome: 'picked', endpoint: second, named: [second] });
});

test('a picker that names addresses outside its pool reaches none of them, and reports say so', async (t) => {
  const { gateway, llama, spare, openai } = await startAiPoolWorld(t);
  const outside = await startBackend(t, (_, response) => response.end('outside'));
  const names = [
    `127.0.0.1:${outside.port}`,
    `127.0.0.1:${openai.port}`,
    spare.endpoints[0] ?? '',
    '169.254.169.254:80',
  ];
  for (const endpoint of names) {
    llama.pick = () => ({ endpoint, headers: { 'x-gw-pick-endpoint': endpoint, 'x-gw-pick': 'picked' } });
    t.is((await ask(gateway.port, { body: chat('llama-3') })).status, 200, endpoint);
  }
  t.is(outside.requests.length, 0);
  t.is(openai.ledger.length, 0);
  t.is(spare.servers[0]?.ledger.length, 0);
  for (const pick of await picksOf(gateway, names.length)) {
    t.is(pick?.outcome, 'replaced');
    t.true(names.includes(pick?.named[0] ?? ''));
    t.true(llama.endpoints.includes(pick?.endpoint ?? ''));
  }
});

test('a model server writes neither who served nor that a picker failed', async (t) => {
  const { gateway, llama, spare } = await startAiPoolWorld(t);
  const headers = { 'x-gw-pick': 'failed', 'x-gw-pick-endpoint': '10.9.9.9:1', 'x-gw-pick-named': '10.9.9.9:1' };
  const answer = await ask(gateway.port, { body: chat('llama-3', { headers }) });
  t.is(answer.status, 200, answer.text);
  t.deepEqual(
    Object.keys(answer.headers).filter((header) => header.startsWith('x-gw-')),
    [],
  );
  t.is(spare.picker.asked.length, 0);
  const [endpoint = ''] = llama.endpoints;
  t.deepEqual(await picksOf(gateway, 1), [{ pool: 'default/llama', outcome: 'picked', endpoint, named: [endpoint] }]);
});

test('a provider’s credential never reaches a pool that it falls back to, nor a client’s the provider', async (t) => {
  const asked: IncomingHttpHeaders[] = [];
  const outside = await startBackend(t, ({ headers }, response) => {
    asked.push(headers);
    response.writeHead(503).end('busy');
  });
  const first = aiService('first', outside.port, {
    provider: 'openai',
    models: [{ name: 'llama-3' }],
    auth: { secretRef: { name: 'openai' } },
    fallback: [{ name: 'llama' }],
  });
  const { gateway, llama } = await startAiPoolWorld(t, {
    objects: [first, routeObject('first', 'first.test', [aiRule('first')])],
  });
  const marks = {
    authorization: 'Bearer MARK-CLIENT',
    'x-api-key': 'MARK-CLIENT',
    'api-key': 'MARK-CLIENT',
    cookie: 'session=MARK-CLIENT',
  };
  const answer = await untilFits(
    'the route to be served',
    () => ask(gateway.port, { host: 'first.test', body: chat('llama-3'), headers: marks }),
    ({ status }) => status === 200,
  );
  t.is(JSON.parse(answer.text).choices.length, 1);
  t.true(asked.length > 0);
  for (const { authorization } of asked) t.is(authorization, 'Bearer sk-one');
  const seen = [...llama.servers.flatMap(({ ledger }) => ledger), ...llama.picker.asked];
  t.true(seen.length >= 2);
  for (const { headers } of seen) {
    t.notRegex(JSON.stringify(headers), /sk-one|MARK-CLIENT/);
  }
  t.notRegex(JSON.stringify(asked), /MARK-CLIENT/);
});

test('a service takes a pool of its own namespace alone, and no credential with it', async (t) => {
  const { gateway } = await startAiPoolWorld(t);
  const invalid = [
    { pool: { name: 'llama' }, endpoint: { hostname: 'api.test' } },
    { pool: { name: 'llama' }, auth: { secretRef: { name: 'openai' } } },
    {},
  ];
  for (const [index, spec] of invalid.entries())
    gateway.write(`invalid-${index}.yaml`, {
      apiVersion: 'gatewright.dev/v1alpha1',
      kind: 'AIService',
      metadata: { name: `invalid-${index}` },
      spec: { provider: 'openai', models: [{ name: 'm' }], ...spec },
    });
  gateway.write('elsewhere.yaml', {
    apiVersion: 'gatewright.dev/v1alpha1',
    kind: 'AIService',
    metadata: { name: 'elsewhere', namespace: 'tenant' },
    spec: { provider: 'custom', pool: { name: 'llama' }, models: [{ name: 'm' }] },
  });
  const status = await untilFits(
    'the service of the other namespace to be judged',
    () => gateway.control.graph.statusOf('AIService', 'tenant/elsewhere'),
    (found) => found !== undefined && 'conditions' in found,
  );
  const conditions = status && 'conditions' in status ? status.conditions : [];
  t.regex(
    conditions.find(({ type }) => type === 'ResolvedRefs')?.message ?? '',
    /InferencePool tenant\/llama does not exist/,
  );
  for (const index of invalid.keys())
    t.is(gateway.control.graph.find('AIService', `default/invalid-${index}`), undefined);
});
