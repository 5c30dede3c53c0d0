import test from 'ava';
import { messageText, type Outgoing, parseMessage } from '../../../src/replicas/message.ts';
import { nodeView, someTime } from '../../support/admin.ts';

const received = (outgoing: Outgoing): unknown => parseMessage(messageText(outgoing).replace(/^data: /, ''));

test('what is sent is what is received', (t) => {
  const node = nodeView('n', { disconnectedAt: someTime, lastNackMessage: 'no\nway', lastConfigStatus: 'NACK' });
  const listeners = '0123456789abcdef0123456789abcdef';
  t.deepEqual(received({ type: 'node', node, listeners }), { type: 'node', node, listeners });
  const refusal = {
    kind: 'route',
    gateway: 'default/edge',
    key: 'httproute/default/a',
    digest: 2n ** 127n,
    message: 'x',
  } as const;
  t.deepEqual(received({ type: 'refused', refusal }), { type: 'refused', refusal });
  for (const message of [{ type: 'synced' }, { type: 'bye' }, { type: 'snapshot', snapshot: null }] as const)
    t.deepEqual(received(message), message);
});

test('what a later version tells is passed over: kinds of messages, and fields', (t) => {
  t.is(parseMessage('{"type": "weather", "rain": true}'), undefined);
  t.deepEqual(parseMessage('{"type": "hello", "replica": "b", "snapshot": "s1", "mood": 1}'), {
    type: 'hello',
    replica: 'b',
    snapshot: 's1',
  });
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
  test(`${what} is refused`, (t) => {
    t.throws(() => parseMessage(text));
  });
}
