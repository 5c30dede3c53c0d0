import test from 'ava';
import fc from 'fast-check';
import { redacted, redactedJson } from '../../../src/admin/http/index.ts';
import { jsonParts, type Wanted } from '../../../src/std/json/index.ts';

async function* inChunks(text: string, size: number): AsyncGenerator<Buffer> {
  const bytes = Buffer.from(text);
  for (let at = 0; at < bytes.length; at += size) yield bytes.subarray(at, at + size);
}

async function partsOf(text: string, size: number, isWanted: Wanted) {
  const parts: { readonly path: string | undefined; readonly text: string }[] = [];
  for await (const { path, bytes } of jsonParts(inChunks(text, size), isWanted))
    parts.push({ path: path?.join('.'), text: bytes.toString() });
  return parts;
}

async function redactedText(text: string, size: number): Promise<string> {
  const pieces: Buffer[] = [];
  for await (const piece of redactedJson(inChunks(text, size))) pieces.push(piece);
  return Buffer.concat(pieces).toString();
}

/** JSON whose fields often have names of secrets, in any form of their text. */
const withSecrets = fc.letrec((tie) => ({
  value: fc.oneof({ maxDepth: 5 }, fc.jsonValue(), tie('list'), tie('object')),
  list: fc.array(tie('value'), { maxLength: 4 }),
  object: fc.dictionary(
    fc.oneof(fc.constantFrom('password', 'private_key', 'pass', '*', 'a"b\\'), fc.string()),
    tie('value'),
    {
      maxKeys: 4,
    },
  ),
})).value;
const size = fc.integer({ min: 1, max: 30 });
const indent = fc.constantFrom(undefined, 1, '\t');

test('the pieces are the text, wherever it is cut, and each wanted value is whole', async (t) => {
  await fc.assert(
    fc.asyncProperty(withSecrets, size, indent, fc.integer({ min: 0, max: 3 }), async (value, cut, spaces, depth) => {
      const text = JSON.stringify(value, null, spaces);
      const parts = await partsOf(text, cut, (path) => path.length === depth);
      t.is(parts.map((part) => part.text).join(''), text);
      for (const { path, text: piece } of parts) if (path !== undefined) t.notThrows(() => JSON.parse(piece), piece);
      if (depth > 0) return;
      t.deepEqual(
        parts.map(({ path }) => path),
        [''],
      );
    }),
  );
});

test('secrets are replaced in a text as they are in what it says', async (t) => {
  await fc.assert(
    fc.asyncProperty(withSecrets, size, indent, async (value, cut, spaces) => {
      const text = JSON.stringify(value, null, spaces);
      t.deepEqual(JSON.parse(await redactedText(text, cut)), redacted(JSON.parse(text)));
    }),
  );
});

test('a name in escapes, and a value of any kind, hide no secret', async (t) => {
  const secrets = ['"S"', '["S", {"a": "]}"}]', '{"a": {"b": "S\\""}}', '-1.5e3', 'null', 'true'];
  for (const secret of secrets)
    for (const cut of [1, 7, 1000]) {
      t.is(
        await redactedText(`{"a" : [{"pass\\u0077ord"\n: ${secret} , "b":1}]}`, cut),
        '{"a" : [{"pass\\u0077ord"\n: "[redacted]" , "b":1}]}',
      );
      t.is(await redactedText(`{"password":${secret}}`, cut), '{"password":"[redacted]"}');
    }
});

test('values are found by the names that lead to them', async (t) => {
  const text = '{"configs": [{"a": [1, {"b": 2}]}, {"a": ["x"], "c": 3}], "a": [4]}';
  const wanted: Wanted = (path) => path.length === 4 && path[2] === 'a';
  const found = (await partsOf(text, 5, wanted)).filter(({ path }) => path !== undefined);
  t.deepEqual(found, [
    { path: 'configs.*.a.*', text: '1' },
    { path: 'configs.*.a.*', text: '{"b": 2}' },
    { path: 'configs.*.a.*', text: '"x"' },
  ]);
});

test('a text that ends in the middle, brackets that do not fit, and depth without end are errors', async (t) => {
  const nothing: Wanted = () => false;
  for (const text of ['{"a": [1', '{"a', '{"a": 1]', '}', `${'['.repeat(100_000)}`])
    await t.throwsAsync(partsOf(text, 1000, nothing), { instanceOf: SyntaxError }, text.slice(0, 10));
  t.deepEqual(await partsOf('', 1, nothing), []);
  const long = `{"${'k'.repeat(5000)}": {"password": 1}}`;
  t.is(await redactedText(long, 100), long.replace('1', '"[redacted]"'));
});
