import test from 'ava';
import { readExpression } from '../../../../src/controllers/accesspolicy/parts/cel/index.ts';

const read = (text: string) => readExpression(text, (name) => (name === 'staff' ? 'infra/edge/staff' : undefined));
const faults = (text: string): readonly string[] => {
  const found = read(text);
  return 'faults' in found ? found.faults : [];
};

test('what a text comes to names neither Envoy’s attributes nor a policy’s short names', (t) => {
  t.deepEqual(read("request.headers['X-Team'] == 'a' && 'ops' in jwt.staff.groups"), {
    expression: {
      kind: 'call',
      function: '_&&_',
      args: [
        {
          kind: 'call',
          function: '_==_',
          args: [
            { kind: 'header', name: 'x-team', isThere: false },
            { kind: 'literal', type: 'string', value: 'a' },
          ],
        },
        {
          kind: 'call',
          function: '@in',
          args: [
            { kind: 'literal', type: 'string', value: 'ops' },
            {
              kind: 'select',
              operand: { kind: 'token', provider: 'infra/edge/staff', isThere: false },
              field: 'groups',
              isThere: false,
            },
          ],
        },
      ],
    },
  });
});

test('expressions that rules may have', (t) => {
  for (const text of [
    'true',
    "request.method in ['GET', 'HEAD'] || request.url_path.startsWith('/docs/')",
    "has(request.headers.team) && !('x-debug' in request.headers)",
    'has(jwt.staff) && has(jwt.staff.realm.roles)',
    "jwt['staff']['realm']['roles'][0] == 'admin'",
    'jwt.staff.email_verified',
    "size(request.headers['x-a']) > 3 ? true : request.url_path.size() < 10",
    "request.headers['x-n'].matches('^[0-9]+$')",
    "matches(request.url_path, '(a|b)c{2,3}')",
    "source.address.startsWith('10.')",
    '1 < 2u && 1.5 >= -1.0 && null != 3',
  ])
    t.deepEqual(faults(text), [], text);
});

test('what is wrong is said with line and column, all of it at once', (t) => {
  const cases: readonly (readonly [string, RegExp])[] = [
    ['request.method ==', /^1:16: syntax error: found = but expecting end of input$/],
    ["request.method == 'GET'\n  && user.name == 'x'", /^2:6: user is not available: known are request\.method, /],
    ["constructor == 'x'", /^1:1: constructor is not available: known are request\.method, /],
    ["request.path == '/a'", /^1:8: request\.path is not available: it has the query/],
    ["request.host == 'a.test'", /^1:8: request\.host is not available: clients may write it in capitals/],
    ["request.headers[':authority'] == 'a.test'", /request\.host is not available/],
    ["request.headers['host'] == 'a.test'", /request\.host is not available/],
    ["request.headers[request.method] == 'a'", /^1:24: request\.headers\[…\] wants a name in quotes/],
    ['size(request.headers) > 3', /name one header: request\.headers\['x-team'\]/],
    ["request.headers['x-gw-scope'] == 'a'", /^1:16: header x-gw-scope is one that proxies write for themselves/],
    ['connection.mtls', /connection is not available: a certificate is there too when it was not verified/],
    ["metadata.filter_metadata['a']['b'] == 'c'", /metadata is not available: claims are in jwt\.PROVIDER/],
    ["jwt.other.sub == 'a'", /jwt has no provider "other" of this policy/],
    ["jwt == 'a'", /^1:1: jwt is not available/],
    ['request.method', /^1:8: it is no condition/],
    ["'a' + 'b' == 'ab'", /^1:4: \+ is not available: known are &&, /],
    ["int(request.headers['x']) > 3", /int is not available/],
    ['[1, 2].exists(x, x == 1)', /all, exists, exists_one, map and filter are not available/],
    ["{'a': 1}['a'] == 1", /maps and messages are not available/],
    ["b'a' == b'a'", /bytes are not available/],
    ["request.method.matches(request.headers['x'])", /matches wants its regular expression in quotes/],
    ["request.method.matches('(')", /^1:24: the regular expression "\(" is not RE2/],
    ["request.method.matches('(a{50}){50}')", /^1:24: the regular expression .* is too large/],
    ["request.method.matches('.{20}')", /is too large/],
    ["request.method.sub == 'a'", /only claims of tokens have fields: \.sub/],
    ["request.method['a'] == 'a'", /only claims, headers and lists have entries/],
    ['('.repeat(500), /^1:41: there are more than 40 brackets/],
    ['{1:'.repeat(300), /^1:121: there are more than 40 brackets/],
    ['a ? b : '.repeat(20), /more than 8 question marks/],
  ];
  const wrong = cases.filter(([text, expected]) => !expected.test(faults(text).join('\n')));
  t.deepEqual(
    wrong.map(([text, expected]) => [text, String(expected), faults(text)]),
    [],
  );
  t.is(faults("user.a == 1 || group.b == 2 || request.nothing == 'x'").length, 3);
});

test('a text that is hostile is read in no more steps than it has signs', (t) => {
  for (const part of ['(', '[', '{1:', '!', '-', 'a.', 'a?b:', '((a?b:c))||', 'f(', "r'\\'(", '"""', "'"]) {
    const text = part.repeat(Math.floor(1024 / part.length));
    t.notThrows(() => read(text), part);
  }
});
