import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import anyTest, { type TestFn } from 'ava';
import { parse } from 'yaml';
import { anchorOf } from '../../../src/addons/chatbot/handbook/sections.ts';
import { type ChatAnswer, chat } from '../../support/chat.ts';
import { every, thorough } from '../../support/repetitions.ts';
import { startWorld } from './world.ts';

/*
 * Questions to the chat without a model, in two languages, about a running program whose faults are known (`world`). Each case says what an
 * answer has to say and what it must not; what holds of every answer is checked here: no object, page or example is invented.
 */

interface Case {
  readonly ask: string;
  /** Questions of before. */
  readonly after?: readonly string[];
  readonly says?: readonly string[];
  readonly never?: readonly string[];
}

const test = anyTest as TestFn<Awaited<ReturnType<typeof startWorld>>>;
const here = import.meta.dirname;
const root = join(here, '../../..');

let world: Awaited<ReturnType<typeof startWorld>>;
test.before(async () => {
  world = await startWorld();
});
test.after.always(() => world?.stop());

const cases = (file: string): readonly Case[] => parse(readFileSync(join(here, file), 'utf8')) as Case[];

const ask = (prompt: string, after: readonly string[] = []): Promise<ChatAnswer> => {
  const history = after.flatMap((content) => [
    { role: 'user', content },
    { role: 'assistant', content: 'HTTPRoute default/other: what was answered is not read' },
  ]);
  return chat(world.program.control.ports.layout1, { prompt, history });
};

/** Objects that are in the files, or that something in them names although they are not there. */
const known = new Set(
  [
    'Gateway default/edge Gateway default/internal Gateway default/egde',
    ...['shop', 'checkout', 'half', 'lost', 'blog', 'search', 'parked', 'secure', 'models', 'broken'].map(
      (name) => `HTTPRoute default/${name}`,
    ),
    'HTTPRoute team-a/reports Service team-a/reports',
    ...['cart', 'shop-v1', 'shop-v2', 'search', 'attic', 'payments', 'crat'].map((name) => `Service default/${name}`),
    ...['shop-cert', 'old-cert', 'soon-cert', 'gone-cert'].flatMap((name) => [
      `Certificate default/${name}`,
      `Secret default/${name}`,
    ]),
    ...['cart-limits', 'cart-timeouts', 'astray'].map((name) => `BackendPolicy default/${name}`),
    'AIService default/openai Secret default/openai-key TokenPolicy default/per-team',
  ]
    .join(' ')
    .match(/\w+ \S+\/\S+/g),
);

/** Parts of answers that name objects and are no manifests of examples. */
function inventedIn(text: string, question: string): string[] {
  const named =
    text
      .replace(/```[\s\S]*?```/g, '')
      .match(/\b(?:[A-Z]\w+Route|Gateway|Service|Certificate|Secret|AIService|\w+Policy) [a-z0-9-]+\/[a-z0-9-]+/g) ??
    [];
  return named.filter((name) => !known.has(name) && !question.includes(name.split(' ')[1] ?? ''));
}

/** Links whose page, heading or example does not exist. */
function deadLinksIn(text: string): string[] {
  const links = text.match(/\b(?:docs\/[\w.-]+\.md(?:#[\w-]+)?|examples\/[\w-]+)/g) ?? [];
  const examples = readdirSync(join(root, 'examples'));
  return links.filter((link) => {
    if (link.startsWith('examples/')) return !examples.includes(link.slice('examples/'.length));
    const [page = '', anchor] = link.split('#');
    const headings = readFileSync(join(root, page), 'utf8').match(/^#+ .*$/gm) ?? [];
    return anchor !== undefined && !headings.some((heading) => anchorOf(heading.replace(/^#+ /, '')) === anchor);
  });
}

for (const file of ['original.yaml', 'more.yaml']) {
  for (const { ask: question, after, says = [], never = [] } of every(3, cases(file))) {
    test.serial(`${[...(after ?? []), question].join(' … ')}`, async (t) => {
      const { text, events } = await ask(question, after);
      t.deepEqual(events.at(-1), { type: 'done', finishReason: 'stop' });
      for (const said of says) t.regex(text, new RegExp(said, 'i'));
      for (const said of never) t.notRegex(text, new RegExp(said, 'i'));
      t.deepEqual(inventedIn(text, question), []);
      t.deepEqual(deadLinksIn(text), []);
      t.true(text.length < 12_100);
    });
  }
}

test('there are as many questions as promised, in both languages', (t) => {
  t.is(cases('original.yaml').length, 29);
  t.true(cases('more.yaml').length >= 60);
});

test.serial('what is looked at on a page is what a question without a name is about', async (t) => {
  const { layout1 } = world.program.control.ports;
  const asked = (prompt: string, context: object) => chat(layout1, { prompt, context }).then(({ text }) => text);
  t.regex(
    await asked('what is wrong here?', { kind: 'HTTPRoute', name: 'blog' }),
    /HTTPRoute default\/blog has 1 problem/,
  );
  t.regex(
    await asked('warum?', { kind: 'HTTPRoute', namespace: 'default', name: 'lost' }),
    /HTTPRoute default\/lost hat 1 Problem/,
  );
  t.regex(
    await asked('what is wrong with it?', { kind: 'HTTPRoute', name: 'nowhere' }),
    /There is no HTTPRoute “default\/nowhere” here/,
  );
});

thorough(test.serial)('an hour is an hour', async (t) => {
  const { events } = await ask('Was ist in der letzten Stunde passiert?');
  const [call] = events.filter((event) => event.type === 'tool_call' && event.name === 'recent_events');
  const { since } = (call as { readonly arguments: { readonly since: string } }).arguments;
  const minutes = (Date.now() - Date.parse(since)) / 60_000;
  t.true(minutes >= 60 && minutes < 62, since);
});
