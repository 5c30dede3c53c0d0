import test from 'ava';
import { migrationPage } from '../../../scripts/generate/migration-page.ts';
import { usualPrefix, valueFault } from '../../../src/ingress/annotations/index.ts';
import {
  annotations,
  configKeys,
  directives,
  findAnnotation,
  flags,
  meantAnnotation,
} from '../../../src/ingress/index.ts';
import { worstOf } from '../../../src/ingress/verdict.ts';
import { charts } from '../../support/migrate/charts.ts';
import { knownAnnotations, knownConfigKeys } from './known-names.ts';

test('every annotation that the user guide of ingress-nginx lists has a row', (t) => {
  t.deepEqual(
    knownAnnotations.filter((name) => findAnnotation(name) === undefined),
    [],
  );
  t.true(knownAnnotations.length >= 119);
});

test('every ConfigMap key that the user guide lists has a row', (t) => {
  const names = new Set(configKeys.map(({ name }) => name));
  t.deepEqual(
    knownConfigKeys.filter((name) => !names.has(name)),
    [],
  );
});

test('of the annotations that have an effect at least a hundred are the same, or differ in a way that is said', (t) => {
  const effective = annotations.filter(({ verdict }) => verdict !== 'no-effect');
  t.true(effective.filter(({ verdict }) => verdict === 'same' || verdict === 'differs').length >= 100);
});

test('what popular charts use can be the same, or differs in a way that is said', (t) => {
  const objects = [...charts.values()].flat();
  const used = new Set(
    objects
      .flatMap(({ metadata }) => Object.keys(metadata.annotations ?? {}))
      .flatMap((name) => (name.startsWith(`${usualPrefix}/`) ? name.slice(usualPrefix.length + 1) : [])),
  );
  const undecided = [...used].filter((name) => ['decision', 'cannot'].includes(findAnnotation(name)?.verdict ?? ''));
  t.deepEqual(undecided, []);
  t.true(used.size >= 30, String(used.size));
});

test('no name has two rows', (t) => {
  for (const rows of [
    annotations.flatMap(({ name, aliases = [] }) => [name, ...aliases]),
    ...[configKeys, flags, directives].map((list) => list.map(({ name }) => name)),
  ])
    t.deepEqual(
      rows.filter((name, index) => rows.indexOf(name) !== index),
      [],
    );
});

test('a row says why exactly where something is to be known', (t) => {
  for (const { name, verdict, why } of [...annotations, ...configKeys, ...flags, ...directives])
    t.is(why !== undefined, verdict !== 'same' && verdict !== 'no-effect', name);
});

test('the default of each annotation is a value of its form', (t) => {
  for (const { name, value, default: byDefault } of annotations)
    if (byDefault !== undefined) t.is(valueFault(value, byDefault), undefined, `${name}: ${byDefault}`);
});

test('values are judged as the controller judges them', (t) => {
  const fault = (name: string, value: string) => valueFault(findAnnotation(name)?.value ?? 'text', value);
  for (const [name, value] of [
    ['use-regex', 'yes'],
    ['enable-cors', 'on'],
    ['allowlist-source-range', '10.0.0.0/33'],
    ['allowlist-source-range', 'localhost'],
    ['allowlist-source-range', ''],
    ['proxy-body-size', '1 MB'],
    ['auth-type', 'bearer'],
    ['rewrite-target', '/a;b'],
    ['custom-http-errors', '404,abc'],
  ] as const)
    t.not(fault(name, value), undefined, `${name}: ${value}`);
  for (const [name, value] of [
    ['use-regex', 'T'],
    ['allowlist-source-range', '10.0.0.1/8, 2001:db8::/32, 192.0.2.7'],
    ['proxy-body-size', '8M'],
    ['proxy-body-size', '0'],
    ['backend-protocol', 'GRPC'],
    ['rewrite-target', '/$1'],
    ['custom-http-errors', '404, 503'],
  ] as const)
    t.is(fault(name, value), undefined, `${name}: ${value}`);
});

test('a slip of the pen finds the name that was meant', (t) => {
  t.is(meantAnnotation('proxy-boddy-size'), '; did you mean "proxy-body-size"?');
  t.is(meantAnnotation('entirely-else'), '');
});

test('the worst verdict of the parts is that of the whole', (t) => {
  t.is(worstOf([]), 'same');
  t.is(worstOf(['no-effect']), 'same');
  t.is(worstOf(['differs', 'same', 'cannot', 'decision']), 'cannot');
  t.is(worstOf(['not-served', 'cannot']), 'not-served');
});

test('the page has a row for every name', (t) => {
  const page = migrationPage();
  for (const { name } of [...annotations, ...configKeys, ...flags, ...directives])
    t.true(page.includes(`\`${name}\``), name);
});
