import test from 'ava';
import { CommittedView } from '../../../src/graph/engine/index.ts';
import { Attachments } from '../../../src/graph/gateways/attachments.ts';
import { attachmentKey } from '../../../src/graph/model/index.ts';

const [edge, inner] = ['default/edge', 'default/inner'];
const at = (gateway: string, ...listeners: string[]) => listeners.map((name) => attachmentKey(gateway, name));

test('a route counts once for a Gateway, on however many of its listeners it is, and readers see a build whole', (t) => {
  const committed = new CommittedView();
  const attachments = new Attachments(committed);
  const counts = () => [edge, inner].map((gateway) => attachments.committedCountOf(gateway));
  attachments.replace('HTTPRoute default/a', [], at(edge, 'http', 'https', 'default/set/http'));
  attachments.replace('HTTPRoute default/b', [], at(edge, 'http'));
  t.deepEqual(counts(), [0, 0]);
  committed.clear();
  t.deepEqual(counts(), [2, 0]);
  // To another Gateway, and from one listener to another.
  attachments.replace('HTTPRoute default/a', at(edge, 'http', 'https', 'default/set/http'), at(inner, 'http'));
  attachments.replace('HTTPRoute default/b', at(edge, 'http'), at(edge, 'https'));
  t.deepEqual(counts(), [2, 0]);
  committed.clear();
  t.deepEqual(counts(), [1, 1]);
  attachments.replace('HTTPRoute default/b', at(edge, 'https'), []);
  committed.clear();
  t.deepEqual(counts(), [0, 1]);
});
