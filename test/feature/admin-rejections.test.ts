import test from 'ava';
import type { ErrorBody } from '../../src/admin/index.ts';
import { SecretText } from '../../src/config/index.ts';
import { nodeKey } from '../../src/xds/index.ts';
import { nodeView, someTime, startAdmin } from '../support/admin.ts';

const rejection = {
  kind: 'route',
  key: 'httproute/default/bad',
  digest: 7n,
  typeUrl: 'type',
  message: 'invalid perl operator',
  since: someTime,
} as const;

const rejecting = nodeView('n', { refusals: [rejection], refusalCount: 3 });
const bearer = (token: string) => ({ headers: { Authorization: `Bearer ${token}` } });
const path = '/v1/nodes/n/refusals';

async function world(t: { teardown(end: () => Promise<void>): void }) {
  const offered: string[] = [];
  const admin = await startAdmin(
    {
      protect: [],
      bearerToken: new SecretText('full-token-of-this-test'),
      readOnlyBearerToken: new SecretText('reading-token-of-this-test'),
    },
    { offerAgain: (node) => offered.push(nodeKey(node)) },
  );
  t.teardown(() => admin.close());
  admin.nodes.set('n', rejecting);
  admin.build();
  return { admin, offered };
}

test('each rejection of a node is shown in both layouts, with whom it is held back from', async (t) => {
  const { admin } = await world(t);
  const read = bearer('reading-token-of-this-test');
  const seen = { kind: 'route', key: rejection.key, message: rejection.message, since: '2026-01-02T03:04:05.000Z' };
  const one = await (await admin.layout1('/v1/nodes/n', read)).json();
  t.like(one, { refusals: [{ ...seen, resourceType: 'type', heldBackFrom: 'node' }], refusalCount: 3 });
  const { kind, key, digest, message } = rejection;
  admin.graph.hold({ kind, key, digest, message, gateway: 'default/edge' });
  admin.build();
  const [listed] = (await (await admin.layout1('/v1/nodes', read)).json()) as object[];
  t.like(listed, { refusals: [{ ...seen, heldBackFrom: 'fleet' }] });
  const client = await (await admin.layout2('/api/v1/clients/n', read)).json();
  t.like(client, { refusals: [{ ...seen, resource_type: 'type', held_back_from: 'fleet' }], refusal_count: 3 });
  const sync = (await (await admin.layout1('/v1/snapshot-sync', read)).json()) as { nodes: object[] };
  t.like(sync.nodes[0], {
    sync: 'drifted',
    state: 'rejected',
    message: 'it rejects route httproute/default/bad: invalid perl operator (and 2 more)',
  });
});

test('who has the full token has rejections offered again, and the log says so', async (t) => {
  const { admin, offered } = await world(t);
  const answer = await admin.layout1(path, { method: 'DELETE', ...bearer('full-token-of-this-test') });
  t.is(answer.status, 200);
  t.like(await answer.json(), { nodeId: 'n', gateway: 'default/edge', refusals: [{ key: rejection.key }] });
  t.deepEqual(offered, [nodeKey(rejecting)]);
  const [line] = admin.logLines.filter((each) => each.includes('"audit":true')).map((each) => JSON.parse(each));
  t.like(line, { method: 'DELETE', path, result: 'done', status: 200 });
});

const full = 'full-token-of-this-test';
const rejected = {
  'without a token': [{}, 401, 'unauthorized'],
  'with the token for reading': [bearer('reading-token-of-this-test'), 403, 'token_read_only'],
  'from a page of another site': [
    { headers: { Authorization: `Bearer ${full}`, Origin: 'https://evil.example', 'Sec-Fetch-Site': 'cross-site' } },
    403,
    'origin_foreign',
  ],
} as const;

for (const [how, [init, status, code]] of Object.entries(rejected))
  test(`${how} nothing is offered again`, async (t) => {
    const { admin, offered } = await world(t);
    const answer = await admin.layout1(path, { method: 'DELETE', ...init });
    t.is(answer.status, status);
    t.is(((await answer.json()) as ErrorBody).error.code, code);
    t.deepEqual(offered, []);
  });

test('a node that is gone, or unknown, is not offered anything', async (t) => {
  const { admin, offered } = await world(t);
  admin.nodes.set('gone', nodeView('gone', { connected: false }));
  admin.nodes.set('lost', nodeView('lost', { replica: 'b', staleSince: someTime }));
  for (const [id, status] of [
    ['gone', 409],
    ['lost', 409],
    ['unknown', 404],
  ] as const)
    t.is((await admin.layout1(`/v1/nodes/${id}/refusals`, { method: 'DELETE', ...bearer(full) })).status, status, id);
  t.deepEqual(offered, []);
});
