import { readFileSync } from 'node:fs';
import test from 'ava';
import { parseAllDocuments } from 'yaml';
import { operations } from '../../../src/app/addons/operations.ts';

interface ClusterRole {
  readonly metadata: { readonly name: string };
  readonly rules: readonly { readonly nonResourceURLs?: readonly string[]; readonly verbs: readonly string[] }[];
}

test('the questions that the read-only token may send are those that rbac/admin-access.yaml gives readers', (t) => {
  const questions = operations.filter(
    (each) => each.method === 'post' && 'onlyReads' in each && each.onlyReads === true,
  );
  const text = readFileSync(new URL('../../../rbac/admin-access.yaml', import.meta.url), 'utf8');
  const roles = parseAllDocuments(text).map((document) => document.toJS() as ClusterRole);
  const reader = roles.find(({ metadata }) => metadata.name === 'gatewright-admin-reader');
  const granted = reader?.rules.flatMap(({ verbs, nonResourceURLs = [] }) =>
    verbs.includes('post') ? nonResourceURLs : [],
  );
  t.deepEqual(questions.map(({ path }) => path).sort(), [...(granted ?? [])].sort());
  t.is(questions.length, 6);
});

test('whatever else changes something is in the audit log and kept from pages of other sites', (t) => {
  const writes = operations.filter((each) => each.method !== 'get' && 'onlyReads' in each && each.onlyReads === false);
  t.true(writes.length >= 7);
  for (const each of writes) {
    const { isGuarded, isAudited } = each as unknown as { readonly isGuarded: boolean; readonly isAudited: boolean };
    t.true(isGuarded, each.path);
    // A chat changes nothing; it is kept from readers because it costs money.
    t.is(isAudited, each.path !== '/v1/chatbot/chat', each.path);
  }
});
