import test from 'ava';
import { messageText, type Outgoing, parseMessage } from '../../../../src/cluster/replicas/message.ts';
import { rejectedKinds } from '../../../../src/contracts/index.ts';
import { nodeView, someTime } from '../../../support/admin.ts';

const received = (outgoing: Outgoing): unknown => parseMessage(messageText(outgoing).replace(/^data: /, ''));

test('what is sent is what is received', (t) => {
  const node = nodeView('n', { disconnectedAt: someTime, lastNackMessage: 'no\nway', lastConfigStatus: 'NACK' });
  const listeners = '0123456789abcdef0123456789abcdef';
  t.deepEqual(received({ type: 'node', node, listeners }), { type: 'node', node, listeners });
  const geo = { ...node, databaseFaults: [{ database: 'asn', message: 'is broken' }] } as const;
  t.deepEqual(received({ type: 'node', node: geo }), { type: 'node', node: geo });
  const rejection = {
    kind: 'route',
    key: 'httproute/default/a',
    digest: 2n ** 127n,
    typeUrl: 'type',
    message: 'x',
    since: someTime,
  } as const;
  const rejections = rejectedKinds.map((kind) => ({ ...rejection, kind }));
  const rejecting = { type: 'node', node: { ...node, refusals: rejections, refusalCount: rejections.length } } as const;
  t.deepEqual(received(rejecting), rejecting);
  const offer = { type: 'offer-again', nodeId: 'n', cluster: 'default/edge' } as const;
  t.deepEqual(received(offer), offer);
  for (const message of [
    { type: 'synced' },
    { type: 'bye' },
    { type: 'requests-failed' },
    { type: 'snapshot', snapshot: null },
    {
      type: 'limit-takes',
      to: 'b',
      id: 1,
      cluster: 'default/edge',
      takes: [{ bucket: 'n/p/b|1/1/1', key: 'k', wanted: 1, back: 0, owner: '', debts: [0.5] }],
    },
    { type: 'budget-ask', to: 'b', id: 1, policy: 'a/p', key: 'red', request: 'r' },
    { type: 'budget-answer', to: 'b', id: 1, verdict: { used: [1], full: [0] } },
    { type: 'budget-answer', to: 'b', id: 1, verdict: null },
    {
      type: 'budget-news',
      holds: [{ policy: 'a/p', key: 'red', request: 'r', tokens: 1, cost: 0 }],
      answers: [],
      ended: ['r'],
      sums: [{ policy: 'a/p', key: 'red', per: 'Day', start: 0, tokens: 1, cost: 0 }],
      areTotals: false,
    },
    { type: 'limit-grants', to: 'b', id: 1, grants: [null, { granted: 1, waitMs: 0, owner: 'o', debts: [0.5] }] },
  ] as const)
    t.deepEqual(received(message), message);
});

test('of what a node rejects, kinds that only a later version knows are left out', (t) => {
  const known = {
    kind: 'patch',
    key: 'a/p|a/web/80',
    digest: 1n,
    typeUrl: 'type',
    message: 'x',
    since: someTime,
  } as const;
  const rejections = [known, { ...known, kind: 'weather', degrees: 20 }] as unknown as readonly (typeof known)[];
  const node = { ...nodeView('n'), refusals: rejections, refusalCount: 2 };
  t.deepEqual(received({ type: 'node', node }), { type: 'node', node: { ...node, refusals: [known] } });
});

test('what a later version sends is ignored: kinds of messages, and fields', (t) => {
  t.is(parseMessage('{"type": "weather", "rain": true}'), undefined);
  t.deepEqual(parseMessage('{"type": "hello", "replica": "b", "snapshot": "s1", "mood": 1}'), {
    type: 'hello',
    replica: 'b',
    snapshot: 's1',
    keepsLimits: false,
    keepsBudgets: false,
  });
});

test('a node of a version that says nothing of rejections counts as one that rejects nothing', (t) => {
  const { votes: _votes, refusals: _rejections, refusalCount: _count, ...before } = nodeView('n');
  const message = parseMessage(JSON.stringify({ type: 'node', node: before }));
  t.like(message, { node: { votes: true, refusals: [], refusalCount: 0 } });
});

test('messages of earlier versions about rejections are skipped', (t) => {
  t.is(parseMessage('{"type": "refused", "refusal": {}}'), undefined);
  t.is(parseMessage('{"type": "allowed", "refusal": {}}'), undefined);
});

test('a node is forgotten with its fleet, which versions before this one do not name', (t) => {
  const gone = { type: 'forgotten', nodeId: 'n', cluster: 'default/edge' } as const;
  t.deepEqual(received(gone), gone);
  t.deepEqual(parseMessage('{"type": "forgotten", "nodeId": "n"}'), { type: 'forgotten', nodeId: 'n' });
});

for (const [what, text] of [
  ['no JSON', 'hello'],
  ['no object', 'null'],
  ['no type', '{}'],
  ['a node without an id', '{"type": "node", "node": {}}'],
] as const) {
  test(`${what} is rejected`, (t) => {
    t.throws(() => parseMessage(text));
  });
}
