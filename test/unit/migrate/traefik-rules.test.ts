import test from 'ava';
import { conjunctionsOf, matchesOf, parseRule, RuleError } from '../../../src/migrate/index.ts';

/** Alternatives of a rule, as text. */
const alternatives = (rule: string): readonly string[] =>
  conjunctionsOf(parseRule(rule)).map((all) =>
    all.map(({ name, values, isNot }) => `${isNot ? '!' : ''}${name}(${values.join()})`).join(' & '),
  );

const rules: readonly (readonly [rule: string, alternatives: readonly string[]])[] = [
  ['Host(`a.test`)', ['Host(a.test)']],
  ['Host("a.test")&&Path("/x")', ['Host(a.test) & Path(/x)']],
  ['Host(`a`) || Host(`b`) && Path(`/x`)', ['Host(a)', 'Host(b) & Path(/x)']],
  ['(Host(`a`) || Host(`b`)) && Path(`/x`)', ['Host(a) & Path(/x)', 'Host(b) & Path(/x)']],
  ['!(Host(`a`) || Path(`/x`))', ['!Host(a) & !Path(/x)']],
  ['!(Host(`a`) && Path(`/x`))', ['!Host(a)', '!Path(/x)']],
  ['!!Host(`a`)', ['Host(a)']],
  ['Host(`a`, `b`)', ['Host(a,b)']],
  ['  Host ( `a` ) ', ['Host(a)']],
  ['Query(`a && b`)', ['Query(a && b)']],
];
for (const [rule, expected] of rules) test(`${rule} is read`, (t) => t.deepEqual(alternatives(rule), expected));

for (const rule of [
  '',
  'Host',
  'Host(',
  'Host(`a`',
  'Host(a)',
  'Host(`a`) &&',
  'Host(`a`) Host(`b`)',
  '(Host(`a`)',
  'Host(`a`,)',
  '&',
  '__proto__(`a`)',
  'Host(`a`) && ()',
])
  test(`${rule || 'nothing'} is no rule`, (t) => {
    t.throws(() => parseRule(rule), { instanceOf: RuleError });
  });

test('a rule that grows without end, or is deeper than anyone writes, is an error', (t) => {
  const pair = '(Path(`/a`) || Path(`/b`))';
  t.throws(() => conjunctionsOf(parseRule(Array.from({ length: 40 }, () => pair).join(' && '))), {
    instanceOf: RuleError,
  });
  t.throws(() => parseRule(`${'('.repeat(10_000)}Host(\`a\`)`), { instanceOf: RuleError });
  t.throws(() => parseRule(`${'!'.repeat(10_000)}Host(\`a\`)`), { instanceOf: RuleError });
  t.throws(() => parseRule(`Host(\`${'a'.repeat(20_000)}\`)`), { instanceOf: RuleError });
});

const read = (rule: string, syntax: 'v2' | 'v3' = 'v3') =>
  conjunctionsOf(parseRule(rule)).map((all) => matchesOf(all, syntax));

test('matchers of both grammars become matches', (t) => {
  t.like(read('Host(`A.test`) && PathPrefix(`/x`) && Method(`get`)')[0]?.matches, [
    { hostnames: ['a.test'], path: { kind: 'prefix', value: '/x' }, method: 'GET' },
  ]);
  t.deepEqual(
    read('Method(`GET`, `POST`) && Path(`/a`, `/b`)', 'v2')[0]?.matches.map(
      ({ method, path }) => `${method} ${path?.value}`,
    ),
    ['GET /a', 'POST /a', 'GET /b', 'POST /b'],
  );
  t.like(read('Path(`/users/{id:[0-9]+}/x.y`)', 'v2')[0]?.matches, [
    { path: { kind: 'regex', value: '/users/(?:[0-9]+)/x\\.y' } },
  ]);
  t.like(read('PathPrefix(`/{any}`)', 'v2')[0]?.matches, [{ path: { kind: 'regex', value: '/(?:[^/]+).*' } }]);
  t.like(read('PathRegexp(`^/a|b$`)')[0]?.matches, [{ path: { kind: 'regex', value: '(?:/a.*)|(?:.*b)' } }]);
  t.like(read('PathRegexp(`\\.(a|b)\\$`)')[0]?.matches, [{ path: { value: '.*\\.(a|b)\\$.*' } }]);
  t.like(read('Query(`a=b`)', 'v2')[0]?.matches, [{ queryParams: [{ name: 'a', value: 'b' }] }]);
  t.like(read('HeaderRegexp(`X-A`, `^v[0-9]`)')[0]?.matches, [
    { headers: [{ type: 'RegularExpression', name: 'X-A', value: 'v[0-9].*' }] },
  ]);
});

test('hosts by an expression are wildcards, and others have no word', (t) => {
  for (const [rule, syntax] of [
    ['HostRegexp(`{sub:[a-z]+}.a.test`)', 'v2'],
    ['HostRegexp(`^[a-z]+\\.a\\.test$`)', 'v3'],
    ['HostRegexp(`^.+\\.a\\.test$`)', 'v3'],
  ] as const)
    t.like(read(rule, syntax)[0]?.matches, [{ hostnames: ['*.a.test'] }], rule);
  t.deepEqual(read('HostRegexp(`^a|b$`)')[0]?.matches, []);
  t.regex(read('HostRegexp(`^a|b$`)')[0]?.lost.join() ?? '', /no name with one wildcard/);
});

test('what a rule excludes, and what is not known, has no word', (t) => {
  for (const rule of ['Host(`a`) && !Path(`/x`)', 'Unknown(`a`)', 'Host(`a`) && Host(`b`)', 'constructor(`a`)']) {
    const [found] = read(rule);
    t.deepEqual(found?.matches, [], rule);
    t.true((found?.lost.length ?? 0) > 0, rule);
  }
});
