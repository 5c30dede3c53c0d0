import { createServer } from 'node:http';
import anyTest, { type TestFn } from 'ava';
import { portOf } from '../../scripts/example/echo-server.ts';
import { openBrowser } from '../support/browser.ts';
import { type Standalone, startStandalone } from '../support/standalone.ts';

const test = anyTest as TestFn<{ gateway: Standalone; origin: string }>;

test.before(async (t) => {
  const gateway = await startStandalone();
  t.context = { gateway, origin: `http://127.0.0.1:${gateway.control.ports.layout1}` };
});
test.after.always((t) => t.context.gateway?.stop());

test.serial(
  'built-in rules answer in the language of the question, with links to the documentation inside',
  async (t) => {
    const { origin } = t.context;
    const { page, faults, accessibilityFaults } = await openBrowser(t, origin, { locale: 'de-DE' });
    await page.goto(`${origin}/#/chat`);
    await page.locator('.mode[data-mode="builtin"]').waitFor();
    await page.locator('#question').fill('Wo stelle ich das Timeout ein?');
    await page.keyboard.press('Enter');
    await page.locator('.turn[data-done="true"]').waitFor();
    const links = await page.evaluate<readonly string[]>(
      "[...document.querySelectorAll('.answer-text a')].map((link) => link.getAttribute('href'))",
    );
    t.true(links.length > 0);
    for (const link of links) t.regex(link, /^#\/docs\//);
    t.deepEqual(await accessibilityFaults(), []);
    await page.locator('.answer-text a').first().click();
    await page.locator('.guide h1').waitFor();
    t.deepEqual(faults, []);
  },
);

/** What a model that lies might say. */
const hostile = [
  '<img src=x onerror="document.title=1">',
  '<script>document.title=1</script>',
  '[own](javascript:document.title=1) [other](https://evil.example/) ![pixel](https://evil.example/pixel.png)',
  '[data](data:text/html,hi) **bold** [docs](docs/problems.md#problems)',
  '```yaml\napiVersion: gateway.networking.k8s.io/v1\nkind: HTTPRoute\nmetadata:\n  name: proposed\nspec:\n  parentRefs: [{name: edge}]\n  hostnames: [proposed.example.com]\n```',
].join('\n\n');

test.serial(
  'what a model says is text: no HTML, no foreign link, no image; its proposal opens in the editor',
  async (t) => {
    const { origin } = t.context;
    const model = createServer((request, response) => {
      request.resume().once('end', () => {
        response.writeHead(200, { 'content-type': 'text/event-stream' });
        const delta = (content: object, finish: string | null) =>
          `data: ${JSON.stringify({ id: '1', object: 'chat.completion.chunk', choices: [{ index: 0, delta: content, finish_reason: finish }] })}\n\n`;
        response.end(`${delta({ role: 'assistant', content: hostile }, null)}${delta({}, 'stop')}data: [DONE]\n\n`);
      });
    });
    await new Promise<void>((resolve) => model.listen(0, '127.0.0.1', resolve));
    t.teardown(() => model.close());
    const put = await fetch(`${origin}/v1/chatbot/config`, {
      method: 'PUT',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ apiEndpoint: `http://127.0.0.1:${portOf(model)}/v1`, model: 'liar', apiKey: 'k' }),
    });
    t.is(put.status, 200, await put.text());
    const { page, faults } = await openBrowser(t, origin);
    await page.goto(`${origin}/#/chat`);
    await page.locator('.mode[data-mode="llm"]').waitFor();
    await page.locator('#question').fill('Make me a route');
    await page.keyboard.press('Enter');
    await page.locator('.turn[data-done="true"]').waitFor();
    const found = await page.evaluate<{
      readonly links: readonly string[];
      readonly bad: number;
      readonly text: string;
    }>(
      `({
      links: [...document.querySelectorAll('.answer-text a')].map((link) => link.getAttribute('href')),
      bad: document.querySelectorAll('.answer-text :is(img, script, iframe)').length,
      text: document.querySelector('.answer-text').textContent,
    })`,
    );
    t.deepEqual(found.links, ['#/docs/problems.md?at=problems']);
    t.is(found.bad, 0);
    t.true(found.text.includes('onerror='), 'tags are shown as text');
    t.not(await page.title(), '1');
    await page.locator('button.to-editor').click();
    await page.locator('.cm-line', { hasText: 'proposed.example.com' }).waitFor();
    t.deepEqual(faults, []);
  },
);
