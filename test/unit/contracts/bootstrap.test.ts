import test from 'ava';
import { bootstrapFault } from '../../../src/contracts/index.ts';

test("parts that are not the agent's may be added", (t) => {
  const added = { stats_config: { stats_tags: [] }, static_resources: { clusters: [{ name: 'collector' }, null, 7] } };
  t.is(bootstrapFault(added), undefined);
  t.is(bootstrapFault({ static_resources: null }), undefined);
});

const rejects = test.macro((t, added: Record<string, unknown>, message: RegExp) => {
  t.regex(bootstrapFault(added) ?? '', message);
});
test('who the proxy is', rejects, { node: { id: 'other' } }, /^bootstrap\.node is the agent's: remove it$/);
test('where its admin interface is', rejects, { admin: {} }, /^bootstrap\.admin/);
test('whom it asks', rejects, { dynamic_resources: {} }, /^bootstrap\.dynamic_resources/);
test('names as JSON of protobuf writes them, which would not be merged', rejects, { statsConfig: {} }, /snake_case/);
test(
  'clusters of the agent',
  rejects,
  { static_resources: { clusters: [{ name: 'gatewright_agent' }] } },
  /cluster gatewright_agent/,
);
