import test from 'ava';
import { databaseFaultsMetadata, databaseFaultsText, databaseFaultsType } from '../../src/contracts/index.ts';
import { typeUrls } from '../../src/envoy/index.ts';
import { DeltaClient } from '../support/grpc.ts';
import { dataPlane, dataPlaneRef, gateway, gatewayClass } from '../support/objects.ts';
import { startTwo, type TestReplica } from '../support/replica.ts';
import { untilFits } from '../support/until.ts';

/* Databases that a proxy of another replica cannot use: the replica that writes statuses has to know. */

const world = [
  gatewayClass(),
  dataPlane('geo', { geoip: { databases: { location: '/geo/city.mmdb' } } }),
  gateway('edge', [{}], { infrastructure: { parametersRef: dataPlaneRef('geo') } }),
];

const degradedAt = ({ statuses }: TestReplica): string | undefined => {
  const status = statuses.get('DataPlane default/geo');
  const conditions = status?.kind === 'DataPlane' ? status.conditions : [];
  return conditions.find(({ type }) => type === 'Degraded')?.message;
};

test('what a proxy of another replica reports of its databases is a condition here, until it says otherwise', async (t) => {
  const [a, b] = await startTwo(t, world);
  const said = (what: string, fits: (message: string | undefined) => boolean) =>
    Promise.all([a, b].map((replica) => untilFits(`${what} at ${replica.identity}`, () => degradedAt(replica), fits)));
  const faults = databaseFaultsText([{ database: 'location', message: '/geo/city.mmdb does not exist' }]);
  const connect = () => {
    const client = new DeltaClient({
      target: b.control.ports.xds,
      nodeId: 'node-1',
      cluster: 'default/edge',
      metadata: { [databaseFaultsMetadata]: faults },
    });
    t.teardown(() => client.close());
    client.subscribe(typeUrls.cluster);
    return client;
  };
  const first = connect();
  const words = /^proxy node-1 cannot use a database: \/geo\/city\.mmdb does not exist \(Gateway default\/edge\)$/;
  await said('the fault', (message) => words.test(message ?? ''));
  first.close();
  await untilFits(
    'the proxy to be lost',
    () => b.control.xds.nodes.find('node-1'),
    (node) => node?.connected === false,
  );
  t.regex(degradedAt(b) ?? '', words, 'it may still serve so');
  const again = connect();
  await untilFits(
    'the proxy to be back',
    () => b.control.xds.nodes.find('node-1'),
    (node) => node?.connected === true,
  );
  t.regex(degradedAt(a) ?? '', words);
  again.send({ typeUrl: databaseFaultsType, errorDetail: { code: 0, message: databaseFaultsText([]) } });
  await said('the end of it', (message) => message === undefined);
  again.send({ typeUrl: databaseFaultsType, errorDetail: { code: 0, message: faults } });
  await said('the fault again', (message) => words.test(message ?? ''));
});
