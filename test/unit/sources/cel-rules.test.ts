import test from 'ava';
import { CelRules } from '../../../src/sources/directory/validate/cel-rules.ts';
import type { StructuralSchema, ValidationRule } from '../../../src/sources/directory/validate/schema.ts';

/** Messages of the broken ones of some rules on a value. */
function broken(
  schema: StructuralSchema,
  rules: readonly (string | ValidationRule)[],
  value: unknown,
  old?: unknown,
): string[] {
  const validations = rules.map((rule) => (typeof rule === 'string' ? { rule, message: rule } : rule));
  const causes = new CelRules().check({ ...schema, 'x-kubernetes-validations': validations }, value, old);
  return causes.map(({ path, message }) => (path.length === 0 ? message : `${path.join('.')}: ${message}`));
}

const text: StructuralSchema = { type: 'string' };
const holds = test.macro((t, schema: StructuralSchema, value: unknown, rules: readonly string[]) =>
  t.deepEqual(broken(schema, rules, value), []),
);

test(
  'integers are ints and numbers are doubles',
  holds,
  { type: 'object', properties: { i: { type: 'integer' }, n: { type: 'number' } } },
  { i: 3, n: 3 },
  ['type(self.i) == int', 'type(self.n) == double', 'self.i + 1 == 4'],
);

test(
  'a port that may be a number or a name is what it is',
  holds,
  { type: 'array', items: { 'x-kubernetes-int-or-string': true } },
  [80, 'http'],
  ['type(self[0]) == int && type(self[1]) == string'],
);

test(
  'field names that are not CEL are escaped, keys of maps are not',
  holds,
  {
    type: 'object',
    properties: { namespace: text, 'a-b': text, a__b: text, map: { type: 'object', additionalProperties: text } },
  },
  { namespace: 'x', 'a-b': 'y', a__b: 'z', map: { 'k-1/x.y': 'v' } },
  [
    "self.__namespace__ == 'x'",
    "self.a__dash__b == 'y'",
    "self.a__underscores__b == 'z'",
    "self.map['k-1/x.y'] == 'v'",
    "'k-1/x.y' in self.map",
  ],
);

test('what is missing is not there', holds, { type: 'object', properties: { a: text, b: text } }, { a: '' }, [
  'has(self.a)',
  '!has(self.b)',
]);

test('times can be compared', holds, { type: 'string', format: 'date-time' }, '2026-11-21T10:00:00Z', [
  "self > timestamp('2026-11-21T09:59:59Z')",
]);

test(
  'functions of Kubernetes: addresses',
  holds,
  { type: 'array', items: text },
  ['10.0.0.1', '::1', 'example.com', 'fe80::1%eth0'],
  ['isIP(self[0]) && isIP(self[1]) && !isIP(self[2]) && !isIP(self[3])'],
);

test(
  'functions of Kubernetes: ranges of addresses',
  holds,
  { type: 'array', items: text },
  ['10.0.0.0/8', '::1/128', '10.0.0.1', '10.0.0.0/33', '10.0.0.0/08', '::%eth0/1', 'a/1'],
  ['isCIDR(self[0]) && isCIDR(self[1])', 'self.filter(range, isCIDR(range)).size() == 2'],
);

test('functions of Kubernetes: formats', holds, text, 'ok.example', [
  '!format.dns1123Subdomain().validate(self).hasValue()',
  'format.dns1123Label().validate(self).hasValue()',
  "!format.qualifiedName().validate('example.com/' + self).hasValue()",
  "format.qualifiedName().validate('a/b/c').hasValue()",
  "format.qualifiedName().validate('').hasValue()",
]);

test('functions of Kubernetes: strings', holds, text, 'a/b', [
  "self.split('/')[1] == 'b'",
  "self.substring(1) == '/b'",
  "self.replace('/', '.') == 'a.b'",
]);

test('regular expressions are RE2: a hostile one costs no more than its length', (t) => {
  const started = performance.now();
  t.deepEqual(broken(text, ["self.matches('^(a+)+$')"], `${'a'.repeat(5_000)}!`), ["self.matches('^(a+)+$')"]);
  t.true(performance.now() - started < 30_000);
});

test('a rule that fails to evaluate is broken, and says so', (t) => {
  t.regex(
    String(broken({ type: 'object', properties: { a: text } }, ['self.a == "x"'], {})[0]),
    /^self\.a == "x" \(the rule could not be evaluated: /,
  );
});

test('a message may be computed, and the place named', (t) => {
  const rule = { rule: 'self.a == self.b', messageExpression: "self.a + ' is not ' + self.b", fieldPath: '.b' };
  t.deepEqual(broken({ type: 'object', properties: { a: text, b: text } }, [rule], { a: 'x', b: 'y' }), [
    'b: x is not y',
  ]);
});

test('a transition rule follows items of a map list, and leaves new ones alone', (t) => {
  const item: StructuralSchema = {
    type: 'object',
    properties: {
      name: text,
      size: { type: 'integer', 'x-kubernetes-validations': [{ rule: 'self >= oldSelf', message: 'may only grow' }] },
    },
  };
  const list: StructuralSchema = {
    type: 'array',
    items: item,
    'x-kubernetes-list-type': 'map',
    'x-kubernetes-list-map-keys': ['name'],
  };
  const old = [
    { name: 'a', size: 5 },
    { name: 'b', size: 5 },
  ];
  t.deepEqual(
    broken(
      list,
      [],
      [
        { name: 'c', size: 1 },
        { name: 'b', size: 4 },
        { name: 'a', size: 6 },
      ],
      old,
    ),
    ['1.size: may only grow'],
  );
  t.deepEqual(broken({ ...list, 'x-kubernetes-list-type': 'atomic' }, [], [{ name: 'a', size: 1 }], old), []);
});
