import test, { type ExecutionContext } from 'ava';
import { goodbyeType } from '../../../src/contracts/index.ts';
import { typeUrls } from '../../../src/envoy/index.ts';
import type { NodeRef } from '../../../src/xds/index.ts';
import { limits } from '../../../src/xds/limits.ts';
import { nodeView } from '../../support/admin.ts';
import { DeltaClient } from '../../support/grpc.ts';
import { until } from '../../support/until.ts';
import { fakeResource, gateway, nextEvent, publicationOf, publisher, startXds } from '../../support/xds.ts';

const { cluster } = typeUrls;

async function world(t: ExecutionContext, options: Parameters<typeof startXds>[1] = {}) {
  const xds = await startXds(t, options);
  publisher(xds.server)({ upserts: [fakeResource(cluster, 'a')] });
  const client = async (nodeId: string, more: Partial<ConstructorParameters<typeof DeltaClient>[0]> = {}) => {
    const made = new DeltaClient({ target: xds.port, nodeId, ...more });
    t.teardown(() => made.close());
    made.subscribe(cluster);
    await made.take();
    return made;
  };
  /** The stream breaks, as that of a process that dies. */
  const lose = async (lost: DeltaClient, nodeId: string) => {
    const gone = nextEvent(xds.server, ({ kind, node }) => kind === 'disconnected' && node.nodeId === nodeId);
    lost.close();
    await gone;
  };
  const ids = () => xds.server.nodes.list().map(({ nodeId }) => nodeId);
  return { ...xds, client, lose, ids };
}

const sayGoodbye = (client: DeltaClient) => client.send({ typeUrl: goodbyeType });

test.serial('a node that says goodbye is not listed any more', async (t) => {
  const { client, ids, events } = await world(t);
  const [leaver, other] = [await client('leaver'), await client('other')];
  sayGoodbye(leaver);
  await leaver.ended;
  t.deepEqual(ids(), ['other']);
  t.deepEqual(
    events
      .filter(({ node }) => node.nodeId === 'leaver')
      .map(({ kind }) => kind)
      .slice(-2),
    ['disconnected', 'forgotten'],
    'events have both',
  );
  sayGoodbye(other);
  await other.ended;
  t.deepEqual(ids(), []);
});

test.serial('a node whose stream breaks is lost, and is back when it connects again', async (t) => {
  const { client, lose, server } = await world(t);
  await lose(await client('n'), 'n');
  t.like(server.nodes.find('n'), { connected: false, disconnectReason: 'client_disconnect' });
  await client('n');
  t.like(server.nodes.find('n'), { connected: true });
});

test.serial('a node whose Gateway is gone is not missed, whichever ends first', async (t) => {
  const { client, lose, ids, server } = await world(t);
  await lose(await client('before'), 'before');
  const after = await client('after');
  t.deepEqual(ids().sort(), ['after', 'before']);
  server.publish(publicationOf('s2', [{ gateway, upserts: [], removals: [], gone: true }]));
  t.deepEqual(ids(), ['after']);
  await lose(after, 'after');
  t.deepEqual(ids(), []);
});

test.serial('a node whose pod is gone is not missed, whichever ends first; one that never was a pod is', async (t) => {
  const { client, lose, ids, server } = await world(t);
  server.setPods(gateway, new Set(['early', 'late', 'stays']));
  for (const id of ['early', 'stays', 'foreign']) await lose(await client(id), id);
  const late = await client('late');
  server.setPods(gateway, new Set(['stays']));
  t.deepEqual(ids().sort(), ['foreign', 'late', 'stays']);
  await lose(late, 'late');
  t.deepEqual(ids().sort(), ['foreign', 'stays']);
  server.setPods(gateway, undefined);
  t.deepEqual(ids().sort(), ['foreign', 'stays'], 'what is not known is not gone');
});

test.serial('a pod that is listed after its node connected counts as well', async (t) => {
  const { client, lose, ids, server } = await world(t);
  const quick = await client('quick');
  server.setPods(gateway, new Set(['quick']));
  await lose(quick, 'quick');
  t.deepEqual(ids(), ['quick']);
  server.setPods(gateway, new Set());
  t.deepEqual(ids(), []);
});

test.serial('who takes the id of a node of another host cannot say goodbye for it', async (t) => {
  const { client, server } = await world(t, {
    // Connected to another replica, from another host.
    elsewhere: ({ nodeId, cluster: at }: NodeRef) =>
      nodeId === 'victim'
        ? nodeView('victim', { cluster: at, peer: '10.0.0.9:1234', connectedAt: new Date(0) })
        : undefined,
  });
  const rival = await client('victim');
  sayGoodbye(rival);
  await rival.ended;
  t.like(server.nodes.find('victim'), { connected: false });
});

test.serial('clients that come and go with made-up ids push out no proxy that is lost', async (t) => {
  const { client, lose, ids, server, port } = await world(t);
  server.setPods(gateway, new Set(['pod']));
  await lose(await client('pod'), 'pod');
  const own = await client('own-envoy');
  await until('it to have applied the snapshot', () => server.nodes.find('own-envoy')?.ready);
  await lose(own, 'own-envoy');
  for (let index = 0; index < limits.lostNodes + 20; index += 1) {
    const passer = new DeltaClient({ target: port, nodeId: `passer-${index}` });
    const connected = nextEvent(server, ({ kind, node }) => kind === 'connected' && node.nodeId === `passer-${index}`);
    passer.subscribe(cluster);
    await connected;
    await lose(passer, `passer-${index}`);
  }
  t.is(ids().length, limits.lostNodes);
  t.true(ids().includes('pod'));
  t.true(ids().includes('own-envoy'));
  t.true(ids().includes(`passer-${limits.lostNodes + 19}`), 'the newest is shown');
});
