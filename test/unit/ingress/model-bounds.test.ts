import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import test from 'ava';
import fc from 'fast-check';
import { root } from '../../../scripts/paths.mjs';
import { ruleNames } from '../../../src/ingress/index.ts';
import { type IngressParts, modelOf } from '../../support/ingress-model.ts';

const get = { method: 'GET', scheme: 'http', host: 'a.test', headers: [] } as const;

test('every rule has a row in the documentation', (t) => {
  const page = readFileSync(join(root, 'docs/ingress-nginx-answers.md'), 'utf8');
  const rows = [...page.matchAll(/^\| `([a-z-]+)` \|/gm)].map(([, name]) => name);
  t.deepEqual(rows.toSorted(), [...ruleNames].sort());
});

test('any target is answered, by 400 or by a path without dots and double slashes', (t) => {
  const model = modelOf([{ paths: { '/': 'app', '/a': 'a' } }]);
  const pieces = fc.constantFrom(
    'a',
    '/',
    '//',
    '.',
    '..',
    '%2e',
    '%2F',
    '%',
    '%zz',
    '%00',
    '?',
    '#',
    ' ',
    '\u00e9',
    '\n',
  );
  fc.assert(
    fc.property(fc.array(pieces, { maxLength: 12 }), (all) => {
      const { status, forwarded, rule } = model.answer({ ...get, target: all.join('') });
      t.true(status === undefined ? forwarded !== undefined : status >= 300);
      t.true(ruleNames.includes(rule));
    }),
  );
});

test('the order of the objects does not matter', (t) => {
  const all = ['p', 'q', 'r', 's'].map(
    (name, at): IngressParts => ({
      name,
      annotations: at === 1 ? { canary: 'true', 'canary-weight': '10' } : {},
      paths: { '/': name, [`/${'a'.repeat(at)}`]: `${name}-sub` },
    }),
  );
  const answers = (order: typeof all) =>
    ['/', '/a', '/aa/x', '/aaa'].map((target) => modelOf(order).answer({ ...get, target }));
  fc.assert(
    fc.property(fc.shuffledSubarray(all, { minLength: all.length }), (order) => {
      t.deepEqual(answers(order), answers(all));
    }),
  );
});

test('an expression that would take for ever leaves the answer open', (t) => {
  const model = modelOf([{ annotations: { 'use-regex': 'true' }, paths: { 'ImplementationSpecific /(a+)+$': 'app' } }]);
  const { open, rule } = model.answer({ ...get, target: `/${'a'.repeat(60)}!` });
  t.is(rule, 'regex-path');
  t.is(open.length, 1);
  t.is(model.answer({ ...get, target: '/a' }).open.length, 1, 'it is not tried again');
});

test('an expression that only PCRE knows leaves the answer open', (t) => {
  const model = modelOf([
    { annotations: { 'use-regex': 'true' }, paths: { 'ImplementationSpecific /(?>a+)b': 'app' } },
  ]);
  t.regex(model.answer({ ...get, target: '/aab' }).open[0] ?? '', /only nginx can try/);
});

test('an expression that nginx does not take leaves its host open, and no other', (t) => {
  const model = modelOf([
    { annotations: { 'use-regex': 'true' }, paths: { 'ImplementationSpecific /a(': 'app' } },
    { name: 'other', host: 'b.test', paths: { '/': 'other' } },
  ]);
  t.is(model.answer({ ...get, target: '/a' }).rule, 'bad-annotation');
  t.is(model.answer({ ...get, host: 'b.test', target: '/a' }).forwarded?.backends[0]?.service, 'other');
});
