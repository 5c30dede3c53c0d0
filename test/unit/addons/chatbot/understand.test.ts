import test from 'ava';
import { clusterText } from '../../../../src/addons/chatbot/builtin/cluster-text.ts';
import { understand } from '../../../../src/addons/chatbot/builtin/understand/conversation.ts';
import { docsQuery } from '../../../../src/addons/chatbot/builtin/understand/docs-query.ts';
import { readQuestion } from '../../../../src/addons/chatbot/builtin/understand/question.ts';
import { timeSpanIn } from '../../../../src/addons/chatbot/builtin/understand/time-span.ts';
import type { Topic } from '../../../../src/addons/chatbot/builtin/understand/topics.ts';
import { plainly } from '../../../../src/addons/chatbot/builtin/understand/written.ts';
import type { wire } from '../../../../src/addons/chatbot/tools/index.ts';

const now = new Date('2026-01-02T15:04:05Z');
const inventory = new Map<string, wire.FoundAnswer>(
  [
    { kind: 'HTTPRoute', namespace: 'default', name: 'shop' },
    { kind: 'Service', namespace: 'default', name: 'cart' },
  ].map((object) => [object.name, { word: object.name, matches: [{ object, by: 'name', hostname: null }], total: 1 }]),
);
const read = (prompt: string) => understand([readQuestion(prompt, now)], inventory, undefined);

const about = test.macro<[prompt: string, topic: Topic | undefined]>({
  exec: (t, prompt, topic) => t.is(read(prompt).topic, topic),
  title: (_, prompt, topic) => `“${prompt}” is about ${topic ?? 'nothing that is understood'}`,
});

test(about, 'Why is http://shop.example.com/cart answered 404?', 'request');
test(about, 'Where does a POST to shop.example.com/orders go?', 'request');
test(about, 'shop.example.com', 'request');
test(about, 'I get 503 all the time', 'request');
test(about, 'What is not accepted?', 'problems');
test(about, 'Are there broken listeners?', 'problems');
test(about, 'Who has drifted?', 'nodes');
test(about, 'any NACKs?', 'nodes');
test(about, 'does the cert of shop.example.com expire?', 'certificates');
test(about, 'How much traffic is there?', 'traffic');
test(about, 'What happened recently?', 'changes');
test(about, 'list all routes', 'list');
test(about, 'wie viele gateways gibt es', 'list');
test(about, 'What is wrong with HTTPRoute prod/shop?', 'object');
test(about, 'why is route shop not accepted', 'object');
test(about, 'who uses service cart', 'users');
test(about, 'what does UH mean', 'code');
test(about, 'how do I rewrite a path', 'how-to');
test(about, 'the quick brown fox jumps', undefined);
test(about, 'is the moon made of cheese?', undefined);
test(about, 'certificates of purple singing cows', undefined);

test('a name is an object only if there is one, or if it is written as one', (t) => {
  t.deepEqual(read('which routes use default services').names.missing, []);
  t.like(read('is ns1/gone ok?').names.missing[0], { written: 'ns1/gone' });
  t.like(read('is "gone" ok?').names.missing[0], { written: 'gone' });
  t.like(read('why is route blub not accepted').names.missing[0], { written: 'blub', kind: 'route' });
  t.is(read('is shop ok').objects[0]?.name, 'shop');
});

test('a request is read with its method, port and path', (t) => {
  const request = (text: string) => readQuestion(text, now).request;
  t.like(request('why does https://shop.example.com:8443/a?b=c give a 404'), {
    scheme: 'https',
    port: 8443,
    path: '/a?b=c',
  });
  t.like(request('why is /cart on shop.example.com not found'), {
    host: 'shop.example.com',
    path: '/cart',
    scheme: undefined,
  });
  t.like(request('does a POST to shop.example.com/orders. work'), { method: 'POST', path: '/orders' });
  t.is(request('what is wrong with routes.yaml'), undefined);
  t.like(readQuestion('does shop.example.com give 404?', now), { isHowTo: false });
});

const since = test.macro<[text: string, time: string | undefined]>({
  exec: (t, text, time) => t.is(timeSpanIn(plainly(text), now)?.since.toISOString(), time),
  title: (_, text) => `“${text}” is a time`,
});
test(since, 'in the last hour', '2026-01-02T14:04:05.000Z');
test(since, 'last 10 minutes', '2026-01-02T14:54:05.000Z');
test(since, 'in den letzten 10 Minuten', '2026-01-02T14:54:05.000Z');
test(since, 'letzte Stunde', '2026-01-02T14:04:05.000Z');
test(since, 'in der letzten Stunde', '2026-01-02T14:04:05.000Z');
test(since, 'past 2 days', '2025-12-31T15:04:05.000Z');
test(since, 'since 14:00', '2026-01-02T14:00:00.000Z');
test(since, 'since 3pm', '2026-01-02T15:00:00.000Z');
test(since, 'seit 16 Uhr', '2026-01-01T16:00:00.000Z');
test(since, 'heute', '2026-01-02T00:00:00.000Z');
test(since, 'yesterday', '2026-01-01T00:00:00.000Z');
test(since, 'vor einer Stunde', '2026-01-02T14:04:05.000Z');
test(since, '30 seconds ago', '2026-01-02T15:03:35.000Z');
test(since, 'since 2026-01-01', '2026-01-01T00:00:00.000Z');
test(since, 'since 99:99', undefined);
test(since, 'last but not least', undefined);

test('a question is put into the words of the documentation', (t) => {
  const query = (text: string) => docsQuery(readQuestion(text, now));
  t.is(query('How do I redirect to https?'), 'redirect scheme');
  t.is(query('Wie richte ich einen Canary ein?'), 'canary weight');
  t.is(query('Wo stelle ich das Timeout ein?'), 'timeout');
});

test('text of the cluster is words and nothing else', (t) => {
  t.is(clusterText('Service default/cart does not exist'), 'Service default/cart does not exist');
  t.is(clusterText('[click](http://evil.example)'), '`[click](http://evil.example)`');
  t.is(clusterText('a `b` c'), "`a 'b' c`");
  t.is(clusterText('one\n\n# two\u202e'), 'one # two');
  t.is(clusterText('<img src=x>'), '`<img src=x>`');
  t.is(clusterText('x'.repeat(5000)).length, 501);
});

test('no question takes long, however it is made', (t) => {
  const hostile = [
    'a/'.repeat(1000),
    '"'.repeat(2000),
    'HTTPRoute '.repeat(200),
    'läuft '.repeat(400),
    `${'a.'.repeat(1000)}b`,
    'wo '.repeat(700),
    'how is '.repeat(300),
    '/'.repeat(2000),
    `since ${'1'.repeat(1900)}`,
    'x-'.repeat(1000),
  ];
  for (const text of hostile) {
    const usedMs = Array.from({ length: 5 }, () => processorMs(() => readQuestion(text.repeat(16), now)));
    t.true(Math.min(...usedMs) < 500, `${text.slice(0, 20)}: ${usedMs.join(', ')} ms`);
  }
});

function processorMs(work: () => void): number {
  const before = process.threadCpuUsage().user;
  work();
  return (process.threadCpuUsage().user - before) / 1_000;
}
