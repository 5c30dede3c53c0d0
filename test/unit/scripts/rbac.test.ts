import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import test from 'ava';
import { readingRights, withRights, writingRights } from '../../../scripts/generate/rbac.ts';
import { root } from '../../../scripts/paths.mjs';
import { managedKinds } from '../../../src/admin/managed-resources/managed-kinds.ts';
import { type KindFacts, kinds } from '../../../src/gateway-api/index.ts';

const read = (name: string) => readFileSync(join(root, 'rbac', name), 'utf8');
const controlPlane = read('control-plane.yaml');

const policy: KindFacts = {
  name: 'SecurityPolicy',
  group: 'gatewright.dev',
  version: 'v1alpha1',
  plural: 'securitypolicies',
  namespaced: true,
  shortNames: [],
  statusForm: 'ancestors',
  targetRefs: true,
};

/** What a text has that another has not, line by line. */
const added = (text: string, to: string) => {
  const before = new Set(to.split('\n'));
  return text.split('\n').filter((line) => !before.has(line));
};

/** The rights of our own kinds in a role, with one kind more. */
const grown = (text: string, subresource = '') =>
  text
    .split('\n')
    .filter((line) => line.startsWith(`  resources: [dataplanes${subresource}, `))
    .map((line) => line.replace(/]$/, `, securitypolicies${subresource}]`));

test('roles have the rights of the kinds that are read and written', (t) => {
  t.is(withRights(controlPlane, readingRights(Object.values(kinds))), controlPlane);
  t.is(withRights(read('resource-writer.yaml'), writingRights(managedKinds)), read('resource-writer.yaml'));
});

test('a kind more is one resource more of each role that has to do with it', (t) => {
  const text = withRights(controlPlane, readingRights([...Object.values(kinds), policy]));
  t.deepEqual(added(text, controlPlane), [...grown(controlPlane), ...grown(controlPlane, '/status')]);
  const writer = read('resource-writer.yaml');
  t.deepEqual(added(withRights(writer, writingRights([...managedKinds, policy])), writer), grown(writer));
});

test('a kind of another group is a rule more, and one without status is only read', (t) => {
  const pool: KindFacts = {
    ...policy,
    name: 'Pool',
    group: 'pools.example.com',
    plural: 'pools',
    statusForm: 'none',
  };
  const text = withRights(controlPlane, readingRights([...Object.values(kinds), pool]));
  t.deepEqual(added(text, controlPlane), ['- apiGroups: [pools.example.com]', '  resources: [pools]']);
  const reader = text.split('---\n').find((role) => /^kind: ClusterRole$[\s\S]*name: gatewright-reader$/m.test(role));
  t.true(reader?.endsWith('- apiGroups: [pools.example.com]\n  resources: [pools]\n  verbs: [get, list, watch]\n'));
});

test('a kind that is read no more is in no role', (t) => {
  const fewer = Object.values(kinds).filter(({ name }) => name !== 'TokenPolicy');
  t.false(withRights(controlPlane, readingRights(fewer)).includes('tokenpolicies'));
});

test('a role that is not there is an error', (t) => {
  t.throws(() => withRights('kind: ClusterRole\n', readingRights(Object.values(kinds))), {
    message: 'there is no ClusterRole gatewright-cluster to write rights into',
  });
});
