import test from 'ava';

import type { Wire } from '../../../src/cli/kit/wire.ts';
import { nodeColumns } from '../../../src/cli/nodes/nodes.ts';

const messageOf = (given: Partial<Wire['node']>): string => {
  const node = { refusals: [], refusalCount: 0, ...given } as unknown as Wire['node'];
  const column = nodeColumns(new Date(0)).find(({ heading }) => heading === 'message');
  return column?.cell(node) ?? 'no such column';
};

const since = '2026-01-01T00:00:00Z';
const running = { key: 'a/own|a/web/80', state: 'running', message: 'wait', since } as const;
const untried = { ...running, state: 'untried', message: 'no agent' } as const;
const rejection = {
  kind: 'patch',
  key: 'a/own|a/web/80',
  resourceType: 't',
  message: 'no',
  since,
  heldBackFrom: 'node',
} as const;

test('a data plane says what is worst: what it rejects, then why it left, then what it tries, then its databases', (t) => {
  const databaseFaults = [{ database: 'asn', message: 'asn database /a is broken' } as const];
  const trials = [untried, running];
  t.is(messageOf({}), '');
  t.is(messageOf({ databaseFaults }), 'asn database /a is broken');
  t.is(messageOf({ databaseFaults, trials }), 'tries patch a/own|a/web/80, not served yet: wait (and 1 more)');
  t.is(messageOf({ trials: [untried] }), 'serves patch a/own|a/web/80, which it could not try: no agent');
  t.is(messageOf({ trials, disconnectReason: 'shutdown' }), 'shutdown');
  t.is(
    messageOf({ trials, refusals: [rejection], refusalCount: 2 }),
    'rejects patch a/own|a/web/80, held back from this one alone: no (and 1 more)',
  );
});
