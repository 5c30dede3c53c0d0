import test from 'ava';
import { openBrowser } from '../support/browser.ts';
import { chat } from '../support/chat.ts';
import { runCommand } from '../support/command.ts';
import { endings } from '../support/endings.ts';
import { type PoolWorld, startPoolWorld } from '../support/pool-world.ts';
import { until } from '../support/until.ts';

/** Where people see which server the picker of a pool chose that no AIService is. One request was picked, one rejected by the picker. */

const ends = endings(test);
let world: PoolWorld;
let origin: string;
let server: string;

test.before(async (t) => {
  t.timeout(600_000);
  let isFull = false;
  let endpoint = '';
  world = await startPoolWorld(ends, { picker: { pick: () => (isFull ? { status: 429 } : { endpoint }) } });
  const { layout1 } = world.control.ports;
  origin = `http://127.0.0.1:${layout1}`;
  endpoint = world.servers[0]?.endpoint ?? '';
  server = endpoint;
  t.is((await world.ask()).status, 200);
  isFull = true;
  t.is((await world.ask()).status, 429);
  const reported = async () =>
    ((await world.json(layout1, '/v1/picks')).body as { items: { requests: number }[] }).items[0]?.requests === 2;
  await until('both to be reported', reported);
});

test('the command says which server answered, and that the picker chose it', async (t) => {
  const env = { GATEWRIGHT_SERVER: origin };
  const described = await runCommand(['describe', 'inferencepool', 'llama'], env);
  t.is(described.code, 0, described.stderr);
  for (const line of [`1 request: ${server}, chosen by the picker`, '1 request: answered by the picker'])
    t.true(described.stdout.includes(line), described.stdout);
  const tested = await runCommand(['route-test', `http://a.test:${world.port}/`], env);
  t.true(
    tested.stdout.includes(
      `picked by default/picker; without it 503; lately 1 request: ${server}, chosen by the picker; lately 1 request: answered by the picker`,
    ),
    tested.stdout + tested.stderr,
  );
});

test('the chat says it', async (t) => {
  const { text } = await chat(world.control.ports.layout1, { prompt: `where does http://a.test:${world.port}/ go?` });
  t.true(text.includes(`lately 1 request: ${server}, chosen by the picker`), text);
  t.true(text.includes('lately 1 request: answered by the picker'), text);
});

test('the page says it, with the pool, on the map, and with the question why', async (t) => {
  t.timeout(600_000);
  const { page, faults, accessibilityFaults } = await openBrowser(t, origin, { width: 320 });
  await page.goto(`${origin}/#/backends/default/llama:${world.modelPort}`);
  await page.locator(`[data-endpoint="${server}"]`, { hasText: 'chosen by the picker 1' }).waitFor();
  await page.locator('[data-outcome="answered"]', { hasText: '1' }).waitFor();
  t.deepEqual(await accessibilityFaults(), []);
  await page.goto(`${origin}/#/map?focus=InferencePool/default/llama`);
  const pool = page.locator(`[data-pool="backend/default/llama/${world.modelPort}/servers"]`);
  await pool.locator('a', { hasText: 'default/picker' }).waitFor();
  await pool.locator('[data-pick="picked"]', { hasText: `1 × ${server}: chosen by the picker` }).waitFor();
  await pool.locator('[data-pick="answered"]', { hasText: '1 × answered by the picker' }).waitFor();
  await page
    .locator('.map .node', { hasText: `InferencePool default/llama:${world.modelPort}` })
    .first()
    .waitFor();
  t.deepEqual(await accessibilityFaults(), []);
  await page.goto(`${origin}/#/why?u=http://a.test:${world.port}/`);
  await page.locator('[data-pick="picked"]', { hasText: server }).first().waitFor();
  t.deepEqual(faults, []);
});
