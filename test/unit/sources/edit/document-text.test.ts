import test from 'ava';
import {
  appendObject,
  objectsIn,
  removeObject,
  replaceObject,
  TextError,
} from '../../../../src/sources/directory/edit/document-text.ts';

const file = `# All that the shop needs.
a:   1   # odd   spacing
list: [ x,y ]
---
# The second.
kind: B
spec:
  rules:
  # in order
  - name: one # first
    port: 80
  - name: two # second
  text: 'quoted'
# The end of the second.
---
{ "c": 1 }
`;

const secondWith = (spec: object) => ({ kind: 'B', spec });
const rules = [{ name: 'one', port: 80 }, { name: 'two' }];

test('only the document concerned changes, and in it only what has to', (t) => {
  const changed = replaceObject(file, { document: 1 }, secondWith({ rules, text: 'other', more: ['yes'] }));
  t.is(changed, file.replace("text: 'quoted'", 'text: \'other\'\n  more:\n  - "yes"'));
});

test('items of a list keep their comments when another comes before them', (t) => {
  const changed = replaceObject(
    file,
    { document: 1 },
    secondWith({ rules: [{ name: 'zero' }, ...rules], text: 'quoted' }),
  );
  t.is(changed, file.replace('  - name: one', '  - name: zero\n  - name: one'));
});

test('the same value leaves the text as it was', (t) => {
  t.is(replaceObject(file, { document: 1 }, secondWith({ rules, text: 'quoted' })), file);
});

test('a document is taken out with its marker; what is around it stays', (t) => {
  t.is(removeObject(file, { document: 1 }), `${file.slice(0, file.indexOf('---'))}---\n{ "c": 1 }\n`);
  t.is(removeObject(file, { document: 2 }), file.slice(0, file.lastIndexOf('---')));
  t.deepEqual(
    objectsIn(removeObject(file, { document: 0 })).map(({ value }) => value),
    [secondWith({ rules, text: 'quoted' }), { c: 1 }],
  );
});

const odd = test.macro((t, text: string) => {
  const before = objectsIn(text);
  for (const { place } of before) {
    const others = before.filter((object) => object.place !== place).map(({ value }) => value);
    t.deepEqual(
      objectsIn(removeObject(text, place)).map(({ value }) => value),
      others,
    );
    const index = before.findIndex((object) => object.place === place);
    const expected = before.map(({ value }, at) => (at === index ? { kind: 'New', n: 1 } : value));
    t.deepEqual(
      objectsIn(replaceObject(text, place, { kind: 'New', n: 1 })).map(({ value }) => value),
      expected,
    );
  }
  t.true(before.length > 0);
});

test(
  'documents with markers, directives and empty neighbours',
  odd,
  '---\n---\na: 1\n...\n%YAML 1.2\n---\nb: 2\n--- # c\nc: 3',
);
test('no end of line before a marker or at the end', odd, 'a: 1\n---\nb: 2');
test('Lists', odd, 'kind: List\nitems:\n# first\n- kind: A\n- kind: B # second\n---\nkind: C\n');
test('JSON', odd, '{\n    "kind": "List",\n    "items": [{ "kind": "A" }, { "kind": "B" }]\n}\n');
test('anchors and merge keys', odd, 'kind: A\nx: &x {a: 1}\ny: *x\nz:\n  <<: *x\n  b: 2\n---\nkind: B\n');
test('lines that end with CR LF', odd, 'kind: A\r\nx: 1\r\n---\r\nkind: B\r\n');
test('block texts', odd, 'kind: A\ntext: |\n  one\n  ---x\n\n---\nkind: B\ntext: >-\n  folded\n  text\n');

test('JSON stays JSON, with its indentation', (t) => {
  t.is(
    replaceObject('{\n    "kind": "A"\n}\n', { document: 0 }, { kind: 'A', n: [1] }),
    `${JSON.stringify({ kind: 'A', n: [1] }, null, 4)}\n`,
  );
  t.throws(() => appendObject('{"kind": "A"}', { kind: 'B' }), { instanceOf: TextError });
});

test('a further object is a document of its own, with nothing that YAML 1.1 would read otherwise', (t) => {
  t.is(appendObject('a: 1', { kind: 'B', on: 'yes' }), 'a: 1\n---\nkind: B\n"on": "yes"\n');
  t.is(appendObject('\n', { kind: 'B' }), 'kind: B\n');
});

test('a value that is there twice gets no anchor', (t) => {
  const shared = { a: 1 };
  t.notRegex(appendObject('', { x: shared, y: shared }), /[&*]/);
  t.notRegex(replaceObject('x: 1\n', { document: 0 }, { x: shared, y: shared }), /[&*]/);
});

test('what is not YAML is not touched', (t) => {
  t.throws(() => replaceObject('a: 1\n---\nb: [\n', { document: 0 }, {}), {
    instanceOf: TextError,
    message: /^line \d+: not valid YAML/,
  });
});
