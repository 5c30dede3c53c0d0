import test from 'ava';
import type { RouteTestRecord } from '../../src/admin/index.ts';
import type { Topology } from '../../src/admin/topology/record.ts';
import { ask, chat, reportsOf } from '../support/ai.ts';
import { type AiPoolWorld, startAiPoolWorld } from '../support/ai-pool-world.ts';
import { openBrowser } from '../support/browser.ts';
import { runCommand } from '../support/command.ts';
import { endings } from '../support/endings.ts';
import { request } from '../support/request.ts';
import { until } from '../support/until.ts';

/** Where people see which picker chose which server, and why a request went to a fallback. One request of each sort was sent. */

const ends = endings(test);
let world: AiPoolWorld;
let origin: string;

test.before(async (t) => {
  t.timeout(600_000);
  world = await startAiPoolWorld(ends);
  const { gateway, llama } = world;
  origin = `http://127.0.0.1:${gateway.control.ports.layout1}`;
  t.is((await ask(gateway.port, { body: chat('sql') })).status, 200);
  llama.pick = () => ({ status: 429, body: 'full' });
  t.is((await ask(gateway.port, { body: chat('llama-3') })).status, 200);
  const attempts = async () => (await reportsOf(gateway).traces()).items.flatMap((item) => item.attempts);
  await until('both to be reported', async () => (await attempts()).length === 3);
  const picks = async () =>
    (await gateway.json(gateway.control.ports.layout1, '/v1/picks?name=llama')).body as {
      readonly items: readonly { readonly requests: number }[];
    };
  await until('both to be counted', async () => (await picks()).items[0]?.requests === 2);
});

test('the command says which servers answered, and why requests went on', async (t) => {
  const env = { GATEWRIGHT_SERVER: origin };
  const described = await runCommand(['describe', 'aiservice', 'llama'], env);
  t.is(described.code, 0, described.stderr);
  t.true(
    described.stdout.includes(`1 request: ${world.llama.endpoints[0]}, chosen by the picker, 200`),
    described.stdout,
  );
  t.true(described.stdout.includes('1 request: answered by the picker, 429, then default/spare'), described.stdout);
  const tested = await runCommand(
    ['route-test', `http://ai.test:${world.gateway.port}/v1/chat/completions`, '-X', 'POST'],
    env,
  );
  t.true(
    tested.stdout.includes(
      `default/llama (2 ready, picked by default/llama; without it 503; lately 1 request: ${world.llama.endpoints[0]}, chosen by the picker; lately 1 request: answered by the picker)`,
    ),
    tested.stdout + tested.stderr,
  );
});

test('the test of a route and the topology lead from the service to its pool', async (t) => {
  const { gateway, llama } = world;
  const tested = await request(`${origin}/v1/route-test`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ host: 'ai.test', path: '/v1/chat/completions', method: 'POST', port: gateway.port }),
  });
  const { backends } = (await tested.json()) as RouteTestRecord;
  t.like(
    backends.find(({ service }) => service === 'llama'),
    { endpoints: 2, picker: { service: 'default/llama', failureMode: 'FailClose' }, status: null },
  );
  t.is(backends.find(({ service }) => service === 'openai')?.picker, null);
  const { body } = await gateway.json(gateway.control.ports.layout1, '/v1/topology?focus=AIService/default/llama');
  const { edges, nodes } = body as Topology;
  t.is(nodes.find(({ id }) => id === 'backend/default/llama/0/ai')?.label, 'llama');
  const port = llama.endpoints[0]?.split(':')[1];
  t.true(
    edges.some(
      ({ source, target }) =>
        source === 'backend/default/llama/0/ai' && target === `backend/default/llama/${port}/servers`,
    ),
    JSON.stringify(edges),
  );
  t.true(
    edges.some(
      ({ source, target, type }) =>
        type === 'pick' && source.endsWith('/servers') && target === 'backend/default/llama/80',
    ),
    JSON.stringify(edges),
  );
});

const picked = () => [
  { outcome: 'picked', endpoint: world.llama.endpoints[0], requests: 1 },
  { outcome: 'answered', endpoint: null, requests: 1 },
];

test('picks count for the pool, whichever AIService asked it: in the topology and in the command', async (t) => {
  const { gateway } = world;
  const { layout1 } = gateway.control.ports;
  const { nodes } = (await gateway.json(layout1, '/v1/topology?focus=AIService/default/llama')).body as Topology;
  t.deepEqual(
    nodes.find(({ kind }) => kind === 'InferencePool')?.picks?.toSorted(byOutcome),
    picked().toSorted(byOutcome),
  );
  const { body } = await gateway.json(layout1, '/v1/backends/default/llama:0');
  t.is((body as { readonly pool: string }).pool, 'default/llama');
  const described = await runCommand(['describe', 'inferencepool', 'llama'], { GATEWRIGHT_SERVER: origin });
  t.true(described.stdout.includes(`1 request: ${world.llama.endpoints[0]}, chosen by the picker`), described.stdout);
});

const byOutcome = (a: { readonly outcome: string }, b: { readonly outcome: string }) =>
  a.outcome.localeCompare(b.outcome);

test('the page names the server that the picker chose, and what came before a fallback', async (t) => {
  t.timeout(600_000);
  const { page, faults, accessibilityFaults } = await openBrowser(t, origin, { width: 320 });
  await page.goto(`${origin}/#/ai`);
  await page
    .locator('[data-pick="picked"]', { hasText: `${world.llama.endpoints[0]}: chosen by the picker` })
    .first()
    .waitFor();
  await page.locator('.trace', { hasText: '2 attempts' }).locator('summary').click();
  await page.locator('[data-pick="answered"]', { hasText: 'answered by the picker' }).waitFor();
  await page.locator('[data-service="llama"]', { hasText: 'Pool llama' }).waitFor();
  t.deepEqual(await accessibilityFaults(), []);
  await page.goto(`${origin}/#/backends/default/llama:0`);
  await page.locator(`[data-endpoint="${world.llama.endpoints[0]}"]`, { hasText: 'chosen by the picker 1' }).waitFor();
  await page.goto(`${origin}/#/map?focus=Gateway/default/edge`);
  await page.locator('[data-pool*="default/llama"] [data-pick="answered"]').waitFor();
  await page.locator('[data-pool*="default/spare"]', { hasText: 'default/spare' }).waitFor();
  t.deepEqual(await accessibilityFaults(), []);
  await page.goto(`${origin}/#/why?u=ai.test/v1/chat/completions&m=POST`);
  await page.getByText('picked by default/llama; without it 503').first().waitFor();
  await page.getByText('default/llama', { exact: true }).first().waitFor();
  t.deepEqual(faults, []);
});
