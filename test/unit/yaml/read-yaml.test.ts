import test from 'ava';
import fc from 'fast-check';
import { LineCounter, parseAllDocuments, parseDocument, type YAMLError } from 'yaml';
import { largestAliases, largestDepth, readYaml, readYamlDocument } from '../../../src/yaml/index.ts';
import { repetitions } from '../../support/repetitions.ts';

/** Pieces that make hostile and half-right texts when put together. */
const pieces = fc
  .array(
    fc.constantFrom(
      ...[
        'a',
        'b',
        'k1',
        '1',
        '1.0',
        '.nan',
        'null',
        '~',
        'true',
        '<<',
        ': ',
        ':',
        '- ',
        '? ',
        ', ',
        '{',
        '}',
        '[',
        ']',
      ],
      ...[
        '\n',
        '  ',
        '\t',
        '"',
        "'",
        '|\n',
        '>\n',
        '#c\n',
        '---\n',
        '...\n',
        '%YAML 1.1\n',
        '&a ',
        '*a',
        '!t ',
        '!!str ',
      ],
      ...['!!set ', '!!int ', 'a: 1\n', '"a": 1\n', '{a, a}', '? a\n', '{? a, ? a}', ': x\n', '[a: 1, a: 1]'],
    ),
    { maxLength: 40 },
  )
  .map((parts) => parts.join(''));

const described = (documents: readonly { readonly errors: readonly YAMLError[] }[], text: string): string[][] =>
  documents.map(({ errors }) => {
    // A key without text has no place of its own, and the library misplaces the keys behind it; nor has any key in a broken text.
    const isBroken = errors.some(({ code }) => code !== 'DUPLICATE_KEY') || /(^|[\n{,[?-])\s*:(\s|$)/.test(text);
    const placeOf = ([start, end]: YAMLError['pos']) =>
      isBroken || /[^\w"'[{]/.test(text[start] ?? ' ') ? '' : `${start}-${end}`;
    return errors.map(({ pos, code, message }) => `${placeOf(pos)}: ${code} ${message}`).sort();
  });

const runs = repetitions({ few: 900, all: 3_000 });

test('any text has the documents, errors and lines that the library finds in it with its own check of keys', (t) => {
  let duplicates = 0;
  fc.assert(
    fc.property(pieces, (text) => {
      const lineCounter = new LineCounter();
      const options = { lineCounter, prettyErrors: false, merge: true, logLevel: 'silent' } as const;
      const expected = described([...parseAllDocuments(text, options)], text);
      const { documents, lines } = readYaml(text);
      t.deepEqual(described(documents, text), expected, JSON.stringify(text));
      t.deepEqual(lines.lineStarts, lineCounter.lineStarts);
      if (expected.flat().some((error) => error.includes('DUPLICATE_KEY'))) duplicates += 1;
    }),
    { numRuns: runs, examples: [['"a": 1\n: \n"a": 1\n']] },
  );
  t.true(duplicates > runs / 60, 'some of the texts have keys twice');
});

test('a plain text that looks like a marker begins no document', (t) => {
  t.regex(String(readYaml('- &a b\n- ---\n'.repeat(largestAliases + 1)).fault?.message), /anchors and aliases/);
});

test('any text of one document is that document, and more are an error of the first', (t) => {
  fc.assert(
    fc.property(pieces, (text) => {
      const options = { prettyErrors: false } as const;
      const { errors } = parseDocument(text, options);
      const read = readYamlDocument(text);
      t.deepEqual(
        'document' in read && read.document.errors.map(({ code }) => code).sort(),
        errors.map(({ code }) => code).sort(),
        JSON.stringify(text),
      );
    }),
    { numRuns: runs / 3 },
  );
});

test('keys that are there twice are reported in the order of the text, each at its place', (t) => {
  const { documents, lines } = readYaml('a: {x: 1, x: 2}\nb: 1\na: 2\nc: [{y: 1, "y": 2}]\nb: 3\n');
  const places = documents[0]?.errors.map(({ pos: [offset] }) => {
    const { line, col } = lines.linePos(offset);
    return `${line}:${col}`;
  });
  t.deepEqual(places, ['1:11', '3:1', '4:12', '5:1']);
});

test('a text is read down to the deepest level that is allowed, and not at all beyond', (t) => {
  const nested = (levels: number) => `${'['.repeat(levels)}a${']'.repeat(levels)}`;
  t.is(readYaml(nested(largestDepth)).fault, undefined);
  const { documents, fault } = readYaml(nested(largestDepth + 2));
  t.deepEqual(documents, []);
  t.is(fault?.message, `nested deeper than ${largestDepth} levels`);
  for (const piece of ['- ', '? ', '{a: ', 'a: {', '&a [', '? ['])
    t.regex(String(readYaml(piece.repeat(500)).fault?.message), /^nested/);
});

test('more anchors and aliases than can be looked through are rejected', (t) => {
  const text = (count: number) => `- &a b\n${'- *a\n'.repeat(count - 1)}`;
  t.is(readYaml(text(largestAliases)).fault, undefined);
  t.is(
    readYaml(text(largestAliases + 1)).fault?.message,
    `has more than ${largestAliases} anchors and aliases in one document`,
  );
  t.is(readYaml(`${text(largestAliases)}---\n${text(largestAliases)}`).fault, undefined);
});
