import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import anyTest, { type TestFn } from 'ava';
import type { Page } from 'playwright-core';
import { loadConfig, SecretText } from '../../src/config/index.ts';
import { openBrowser } from '../support/browser.ts';
import { routeObject, type Standalone, startStandalone } from '../support/standalone.ts';
import { until } from '../support/until.ts';

const test = anyTest as TestFn<{ gateway: Standalone; origin: string }>;

test.before(async (t) => {
  const gateway = await startStandalone();
  t.context = { gateway, origin: `http://127.0.0.1:${gateway.control.ports.layout1}` };
  gateway.write(
    'app.yaml',
    ...(await gateway.backend('app')),
    routeObject('app', 'app.example.com', [{ backendRefs: [{ name: 'app', port: 80 }] }]),
    routeObject('other', 'other.example.com', [{ backendRefs: [{ name: 'app', port: 80 }] }]),
  );
  await until('the route', async () => (await gateway.get('app.example.com')).status === 200);
});
test.after.always((t) => t.context.gateway?.stop());

/** Puts a text in place of the one in the editor, as a user does. */
async function type(page: Page, text: string): Promise<void> {
  await page.locator('.cm-content').click();
  await page.keyboard.press('ControlOrMeta+a');
  await page.keyboard.insertText(text);
}

const textIn = (page: Page): Promise<string> =>
  page.evaluate(
    "[...document.querySelector('.editor').shadowRoot.querySelectorAll('.cm-line')].map((line) => line.textContent).join('\\n')",
  );

test.serial('a change is judged, compared, tried and written, and the file keeps its comments', async (t) => {
  const { gateway, origin } = t.context;
  const file = join(gateway.directory, 'kept.yaml');
  gateway.write('kept.yaml', routeObject('kept', 'kept.example.com', [{ backendRefs: [{ name: 'app', port: 80 }] }]));
  writeFileSync(file, `# written by hand\n${readFileSync(file, 'utf8')}`);
  await until('the route', async () => (await gateway.get('kept.example.com')).status === 200);
  const { page, faults, accessibilityFaults } = await openBrowser(t, origin);

  await page.goto(`${origin}/#/routes/HTTPRoute/default/kept`);
  await page.locator('a.edit').click();
  await page.locator('.report[data-valid="true"]').waitFor();
  t.deepEqual(await accessibilityFaults(), []);
  const apply = page.locator('button.apply');
  t.true(await apply.isDisabled(), 'nothing was compared yet');

  const text = await textIn(page);
  await type(page, text.replace('- name: app', '- name: missing'));
  await page.locator('.report li', { hasText: 'missing' }).first().waitFor();

  await type(page, text.replace('kept.example.com', 'moved.example.com'));
  await page.locator('.report[data-valid="true"]').waitFor();
  await page.locator('button.compare').click();
  await page.locator('.lines ins', { hasText: 'moved.example.com' }).first().waitFor();
  await page.locator('.lines del', { hasText: 'kept.example.com' }).first().waitFor();
  t.deepEqual(await accessibilityFaults(), []);
  t.false(await apply.isDisabled());
  t.is((await gateway.get('moved.example.com')).status, 404, 'nothing is written yet');

  await page.keyboard.press('Escape');
  await page.locator('.cm-content').click();
  await page.keyboard.insertText(' ');
  t.true(await apply.isDisabled(), 'another text was compared');
  await page.keyboard.press('Backspace');
  await apply.click();
  await page.locator('[role="status"]', { hasText: 'Applied: HTTPRoute default/kept' }).waitFor();
  await until('the change', async () => (await gateway.get('moved.example.com')).status === 200);
  t.regex(readFileSync(file, 'utf8'), /^# written by hand\n/);
  t.deepEqual(faults, []);
});

test.serial('faults are shown at their lines, and fields are completed from the definition of the kind', async (t) => {
  const { origin } = t.context;
  const { page, faults } = await openBrowser(t, origin);
  await page.goto(`${origin}/#/edit`);
  await page.locator('.cm-content').waitFor();
  const head = 'apiVersion: gateway.networking.k8s.io/v1\nkind: HTTPRoute\nmetadata:\n  name: new\nspec:\n';
  await type(page, `${head}  hostnames: 7\n`);
  await page.locator('.report[data-valid="false"]').waitFor();
  const marked = page.locator('.cm-lintRange-error');
  await marked.first().waitFor();
  t.is((await marked.first().textContent())?.trim(), '7', 'the value that is wrong');

  await type(page, `${head}  rules:\n    - matches:\n        - path: [`);
  await page.locator('.report li', { hasText: 'line 8' }).first().waitFor();

  await type(page, `${head}  rules:\n    - matches:\n        - path:\n            ty`);
  await page.locator('.cm-tooltip-autocomplete li', { hasText: 'type' }).first().click();
  await page.locator('.cm-line', { hasText: 'type:' }).waitFor();
  await page.keyboard.type('Ex');
  await page.locator('.cm-tooltip-autocomplete li', { hasText: 'Exact' }).waitFor();
  t.deepEqual(faults, []);
});

/** Opens `other`, whose file others then write with this hostname and header. */
async function openAndChange(page: Page, { gateway, origin }: { gateway: Standalone; origin: string }, theirs: string) {
  const backend = await gateway.backend('app');
  const write = (host: string) =>
    gateway.write(
      'app.yaml',
      ...backend,
      routeObject('app', 'app.example.com', [{ backendRefs: [{ name: 'app', port: 80 }] }]),
      routeObject('other', host, [{ backendRefs: [{ name: 'app', port: 80 }] }]),
    );
  write('other.example.com');
  await until('the first state', async () => (await gateway.get('other.example.com')).status === 200);
  await page.goto(`${origin}/#/edit/HTTPRoute/default/other`);
  await page.locator('.report[data-valid="true"]').waitFor();
  await page.locator('.cm-content').waitFor();
  const text = await textIn(page);
  write(theirs);
  await until('their change', async () => (await gateway.get(theirs)).status === 200);
  return text;
}

test.serial('what others changed meanwhile is merged with what is changed here', async (t) => {
  const { gateway, origin } = t.context;
  const { page, faults, accessibilityFaults } = await openBrowser(t, origin);
  const text = await openAndChange(page, t.context, 'theirs.example.com');
  await type(page, text.replace('weight: 1', 'weight: 7'));
  await page.locator('button.compare').click();
  await page.locator('.rejected[data-code="resource_conflict"]').waitFor();
  t.true(await page.locator('button.apply').isDisabled());
  await page.locator('button.merge').click();
  const report = page.locator('.merge-report[data-conflict="false"]');
  await report.locator('ins', { hasText: 'theirs.example.com' }).waitFor();
  await report.locator('ins', { hasText: 'weight: 7' }).waitFor();
  t.deepEqual(await accessibilityFaults(), []);
  await page.locator('button.compare').click();
  await page.locator('.differences .lines ins', { hasText: 'weight' }).first().waitFor();
  await page.locator('button.apply').click();
  await page.locator('[role="status"]', { hasText: 'Applied: HTTPRoute default/other' }).waitFor();
  t.is((await gateway.get('theirs.example.com')).status, 200, 'their change is still there');
  t.regex(readFileSync(join(gateway.directory, 'app.yaml'), 'utf8'), /weight: 7/);
  t.deepEqual(faults, []);
});

test.serial(
  'lines that others changed in another way stand between marks, and no text with marks is applied',
  async (t) => {
    const { gateway, origin } = t.context;
    const { page, faults } = await openBrowser(t, origin);
    const text = await openAndChange(page, t.context, 'hers.example.com');
    await type(page, text.replace('other.example.com', 'mine.example.com'));
    await page.locator('button.compare').click();
    await page.locator('button.merge').click();
    await page.locator('.merge-report[data-conflict="true"]').waitFor();
    const merged = await textIn(page);
    t.regex(
      merged,
      /<<<<<<< yours[\s\S]*mine\.example\.com[\s\S]*=======[\s\S]*hers\.example\.com[\s\S]*>>>>>>> theirs/,
    );
    await page.locator('.report[data-valid="false"]').waitFor();
    await page.locator('button.compare').click();
    await page.locator('.rejected').waitFor();
    t.true(await page.locator('button.apply').isDisabled());
    await type(
      page,
      merged
        .replace(/<<<<<<< yours\n([\s\S]*?)=======\n[\s\S]*?>>>>>>> theirs\n/, '$1')
        // The marked view shows what was there before as lines of its own.
        .replace(/\n[^\n]*hers\.example\.com/g, ''),
    );
    await page.locator('.report[data-valid="true"]').waitFor();
    await page.locator('button.compare').click();
    await page.locator('.differences .lines del', { hasText: 'hers.example.com' }).first().waitFor();
    await page.locator('button.apply').click();
    await until('my change', async () => (await gateway.get('mine.example.com')).status === 200);
    t.deepEqual(faults, []);
  },
);

test.serial('one of several documents of a file is written, and several documents of a text are', async (t) => {
  const { gateway, origin } = t.context;
  const file = join(gateway.directory, 'several.yaml');
  const route = (name: string) => `# about ${name}
apiVersion: gateway.networking.k8s.io/v1
kind: HTTPRoute
metadata: {name: ${name}} # kept as it is
spec:
  parentRefs: [{name: edge}]
  hostnames: [${name}.example.com]
  rules: [{backendRefs: [{name: app, port: 80}]}]
`;
  writeFileSync(file, [route('one'), route('two'), route('three')].join('---\n'));
  await until('the routes', async () => (await gateway.get('two.example.com')).status === 200);
  const { page, faults } = await openBrowser(t, origin);
  await page.goto(`${origin}/#/edit/HTTPRoute/default/two`);
  await page.locator('.cm-content').waitFor();
  await type(page, (await textIn(page)).replace('two.example.com', 'second.example.com'));
  await page.locator('button.compare').click();
  await page.locator('button.apply:enabled').click();
  await until('the change', async () => (await gateway.get('second.example.com')).status === 200);
  const [first = '', second = '', third = ''] = readFileSync(file, 'utf8').split('---\n');
  t.is(first, route('one'));
  t.regex(second, /^# about two\n[\s\S]*second\.example\.com/);
  t.is(third, route('three'));

  await page.goto(`${origin}/#/edit`);
  await page.locator('.cm-content').waitFor();
  await type(page, `${route('four')}---\n${route('five')}`);
  await page.locator('button.compare').click();
  await page.locator('button.apply:enabled').click();
  await page.locator('[role="status"]', { hasText: 'Applied: HTTPRoute four, HTTPRoute five' }).waitFor();
  for (const name of ['four', 'five'])
    await until(`${name}`, async () => (await gateway.get(`${name}.example.com`)).status === 200);
  t.deepEqual(faults, []);
});

test.serial('a draft outlives a reload, except of a Secret', async (t) => {
  const { origin } = t.context;
  const { page, faults } = await openBrowser(t, origin);
  await page.goto(`${origin}/#/edit`);
  await page.locator('.cm-content').waitFor();
  await type(page, 'kind: HTTPRoute\nmetadata: {name: drafted}\n');
  await page.reload();
  await page.locator('.cm-line', { hasText: 'drafted' }).waitFor();
  await type(page, 'kind: Secret\nstringData: {key: planted}\n');
  await page.locator('.notice.failing').waitFor();
  t.true(await page.locator('button.compare').isDisabled());
  t.false(String(await page.evaluate('JSON.stringify(sessionStorage)')).includes('planted'));
  t.deepEqual(faults, []);
});

test.serial('who may only read sees no editor', async (t) => {
  const defaults = loadConfig(undefined, {});
  const gateway = await startStandalone(
    {},
    {
      config: {
        adminAuth: {
          ...defaults.adminAuth,
          bearerToken: new SecretText('full-token'),
          readOnlyBearerToken: new SecretText('read-token'),
        },
      },
    },
  );
  t.teardown(() => gateway.stop());
  const origin = `http://127.0.0.1:${gateway.control.ports.layout1}`;
  const { page, faults } = await openBrowser(t, origin);
  await page.goto(`${origin}/#/edit`);
  await page.locator('.sign-in input').fill('read-token');
  await page.locator('.sign-in button').click();
  await page.locator('main .empty').waitFor();
  t.is(await page.locator('nav a[href="#/edit"]').count(), 0);
  t.is(await page.locator('.cm-content').count(), 0);
  t.deepEqual(faults, []);
});
