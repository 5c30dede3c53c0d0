import { existsSync } from 'node:fs';
import { join } from 'node:path';
import test from 'ava';
import {
  otherGateways,
  type PolicyGroup,
  policyGroupsPage,
  readPolicySections,
  stateOf,
} from '../../../scripts/generate/policy-groups-page.ts';
import { root } from '../../../scripts/paths.mjs';
import { schemaOf } from '../../support/definition-fields.ts';

const sections = readPolicySections();
const rows = sections.flatMap((section) => section.rows);

/** Whether a kind that is read has `KIND.spec.FIELD`, where `FIELD[]` is a list. */
const isField = (path: string): boolean => /^[^.]+\.spec\../.test(path) && schemaOf(path) !== undefined;

/** What is wrong with a row, in words. */
function faultsOf(row: PolicyGroup): readonly string[] {
  const { group, eg, ours = [], how, lacks, note, tests = [], others } = row;
  const isThere = stateOf(row) !== 'not there';
  const isKnown = (letter: string) => otherGateways[letter.toUpperCase()] !== undefined;
  /** Not only in a commercial edition, by a plugin or by a raw patch. */
  const isFree = (letter: string) => isKnown(letter) && letter === letter.toUpperCase();
  const letters = others.split(' ').filter(Boolean);
  return [
    ...(eg.length === 0 ? ['names no field of Envoy Gateway'] : []),
    ...ours.filter((path) => !isField(path)).map((path) => `${path} is in no definition of a kind that is read`),
    ...tests.filter((name) => !existsSync(fileOf(name))).map((name) => `there is no test/${name}.test.ts`),
    ...tests.filter((name) => !showsIt(name, ours)).map((name) => `test/${name}.test.ts sends no requests`),
    ...(isThere && tests.length === 0 ? ['has a field and no test'] : []),
    ...(!isThere && tests.length > 0 ? ['has tests and no field'] : []),
    ...(ours.length > 0 && how !== undefined ? ['has fields, and says how it does without'] : []),
    ...(isThere && note !== undefined ? ['is there, and says what comes near'] : []),
    ...(!isThere && lacks !== undefined ? ['is not there, and says what is missing'] : []),
    ...(!isThere && letters.filter(isFree).length > 1 ? ['is not there, and two other gateways have it'] : []),
    ...letters.filter((letter) => !isKnown(letter)).map((letter) => `names a gateway ${letter}`),
    ...(new Set(letters.map((letter) => letter.toUpperCase())).size < letters.length ? ['names a gateway twice'] : []),
  ].map((fault) => `${group}: ${fault}`);
}

const fileOf = (name: string): string => join(root, `test/${name}.test.ts`);
const sendsRequests = /^(?:attack|cluster|envoy|feature)\//;
/** What a DataPlane says of pods is shown by the objects that are written for them. */
const showsIt = (name: string, ours: readonly string[]): boolean =>
  sendsRequests.test(name) || (name.startsWith('kube/') && ours.some((path) => path.startsWith('DataPlane.')));

test('each group has fields that exist and a test that exists, or at most one other gateway has it', (t) => {
  t.is(rows.length, 80);
  t.deepEqual(rows.flatMap(faultsOf), []);
  t.is(new Set(rows.map(({ group }) => group)).size, rows.length, 'no group is there twice');
});

test('what is no field, no test or no gateway is found', (t) => {
  const row = { group: 'x', eg: ['x'], others: '' };
  const ours = ['AccessPolicy.spec.cors'];
  const tests = ['envoy/access'];
  const wrong: readonly PolicyGroup[] = [
    { ...row, eg: [] },
    { ...row, ours },
    { ...row, tests },
    { ...row, ours: ['AccessPolicy.spec.none'], tests },
    { ...row, ours: ['AccessPolicy.spec.cors.allowOrigins.x'], tests },
    { ...row, ours: ['TrafficPolicy.spec.hash[].none'], tests },
    { ...row, ours: ['AccessPolicy.spec'], tests },
    { ...row, ours: ['AccessPolicy.status.ancestors'], tests },
    { ...row, ours: ['XMesh.spec.controllerName'], tests },
    { ...row, ours, tests: ['envoy/none'] },
    { ...row, ours, tests: ['unit/docs/policy-groups'] },
    { ...row, ours, tests: ['kube/data-plane'] },
    { ...row, ours, tests, how: 'y' },
    { ...row, ours, tests, note: 'y' },
    { ...row, lacks: 'y' },
    { ...row, others: 'K Z' },
    { ...row, others: 'K k' },
    { ...row, others: 'K T' },
  ];
  for (const each of wrong) t.is(faultsOf(each).length, 1, JSON.stringify(each));
  t.deepEqual(faultsOf({ ...row, ours, tests, lacks: 'y', others: 'K n' }), []);
});

test('the page says whole, in part or not there, and who else has it', (t) => {
  const row = { group: 'x', eg: ['a', 'b'], others: 'K n' };
  const page = policyGroupsPage([
    {
      kind: 'SomePolicy',
      rows: [
        { ...row, ours: ['A.spec.x'], tests: ['envoy/access'] },
        { ...row, how: 'always', lacks: 'y', tests: ['envoy/access'] },
        row,
        { ...row, note: 'z', others: '' },
      ],
    },
  ]);
  const table = page.split('\n').filter((line) => line.startsWith('| x '));
  const start = '| x | `a`, `b` |';
  const file = '[envoy/access](../test/envoy/access.test.ts)';
  const end = 'kgateway, (NGINX Gateway Fabric) |';
  t.deepEqual(table, [
    `${start} \`A.spec.x\` | ${file} | ${end}`,
    `${start} **in part**: always. Missing: y | ${file} | ${end}`,
    `${start} not there |  | ${end}`,
    `${start} not there; z |  |  |`,
  ]);
  t.regex(page, /has 1 groups whole and 1 in part; 2 are not there\./);
});
