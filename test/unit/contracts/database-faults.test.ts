import test from 'ava';
import { databaseFaultsText, readDatabaseFaults } from '../../../src/contracts/index.ts';

test('what an agent writes is read, each database once, and long messages are cut', (t) => {
  const location = { database: 'location', message: 'is broken' } as const;
  const asn = { database: 'asn', message: 'x'.repeat(5000) } as const;
  t.deepEqual(readDatabaseFaults(databaseFaultsText([location, asn])), [
    location,
    { ...asn, message: 'x'.repeat(1024) },
  ]);
  t.deepEqual(readDatabaseFaults(databaseFaultsText([])), []);
});

for (const text of [
  '',
  '{',
  'null',
  '{}',
  '[null, 1, "location", [], {}]',
  '[{"database":"weather","message":"rain"}]',
  '[{"database":"location"}, {"database":"asn","message":7}]',
  JSON.stringify([{ database: 'asn', message: 'x'.repeat(10_000) }]),
])
  test(`nothing is made of ${text.slice(0, 60)}`, (t) => {
    t.deepEqual(readDatabaseFaults(text), []);
  });
