import test from 'ava';
import { classWith, GatewayService, gatewayWith } from '../support/gateway-service.ts';
import { type KubeOperator, startKubeOperator } from '../support/kube-operator.ts';

let operator: KubeOperator;
const patient = 600_000;
const [ofNetwork, ofInternet] = ['gatewright.dev/Private', 'gatewright.dev/Public'];

test.before(async (t) => {
  t.timeout(patient);
  operator = await startKubeOperator({
    gatewayApi: { channel: 'experimental', version: '1.7.0' },
    own: ['dataplanes'],
    infrastructure: 'loadBalancer: {privateAnnotations: {cloud.example/internal: "true"}}',
    objects: classWith('plain'),
  });
});
test.after.always(() => operator?.stop());

const apply = async (name: string, more = '') => {
  await operator.api.apply(gatewayWith(name, more));
  return new GatewayService(operator, name);
};
const valuesOf = ({ addresses = [] }: { readonly addresses?: readonly { readonly value: string }[] }) =>
  addresses.map(({ value }) => value);

test('the address that a Gateway asks for is asked of the load balancer, and shown when it is assigned', async (t) => {
  t.timeout(patient);
  const service = await apply('static', ', addresses: [{value: 192.0.2.11}]');
  await service.fits('asks for it', ({ spec }) => spec?.loadBalancerIP === '192.0.2.11');
  await service.serve();
  const waiting = await service.status('AddressesAssigned False NotAssigned');
  t.deepEqual(valuesOf(waiting), []);
  await service.status('Programmed False AddressNotAssigned');
  await service.balance('192.0.2.99');
  await service.status('Programmed False AddressNotUsable');
  await service.balance('192.0.2.11');
  await service.status('Programmed True Programmed');
  t.deepEqual(valuesOf(await service.status('AddressesAssigned True AddressesAssigned')), ['192.0.2.11']);
});

test('of an address of an unknown type, one that is not available and one that is, each is said until it is removed', async (t) => {
  t.timeout(patient);
  const [unknown, outside, usable] = ['{type: example.com/x, value: y}', '{value: 203.0.113.9}', '{value: 192.0.2.12}'];
  const asking = (...entries: readonly string[]) => apply('three', `, addresses: [${entries.join(', ')}]`);
  const service = await asking(unknown, outside, usable);
  await service.status('Accepted False UnsupportedAddress');
  await asking(outside, usable);
  await service.status('Accepted True Accepted');
  await service.serve();
  await service.status('Programmed False AddressNotUsable');
  await asking(usable);
  await service.fits('asks for it', ({ spec }) => spec?.loadBalancerIP === '192.0.2.12');
  await service.balance('192.0.2.12');
  const { addresses } = await service.status('Programmed True Programmed');
  t.deepEqual(addresses, [{ type: 'IPAddress', value: '192.0.2.12' }]);
});

test('a Gateway of the cluster alone is at the ClusterIP that it asks for', async (t) => {
  t.timeout(patient);
  const service = await apply('inside', ', addresses: [{routability: Cluster, value: 10.0.77.7}]');
  await service.fits('is a ClusterIP', ({ spec }) => spec?.type === 'ClusterIP' && spec.clusterIP === '10.0.77.7');
  await service.serve();
  const status = await service.status('Programmed True Programmed');
  t.deepEqual(status.addresses, [{ type: 'IPAddress', value: '10.0.77.7', routability: 'Cluster' }]);
});

test('a ClusterIP that the cluster cannot give is said, with the words of its API server', async (t) => {
  t.timeout(patient);
  const service = await apply('beyond', ', addresses: [{routability: Cluster, value: 203.0.113.7}]');
  await service.status('Programmed False AddressNotAssigned', 'does not match the current range');
  await operator.api.apply(gatewayWith('beyond', ', addresses: [{routability: Cluster}]'));
  const live = await service.fits('has another', ({ spec }) => spec?.clusterIP?.startsWith('10.0.') ?? false);
  await service.serve();
  const { addresses } = await service.status('Programmed True Programmed');
  t.deepEqual(addresses, [{ type: 'IPAddress', value: live?.spec?.clusterIP ?? '', routability: 'Cluster' }]);
});

test('another ClusterIP that is asked for stops nothing else: ports of the Gateway still change', async (t) => {
  t.timeout(patient);
  const service = await apply('fixed', ', addresses: [{routability: Cluster}]');
  const before = await service.fits('is there', ({ spec }) => spec?.clusterIP !== undefined);
  await service.serve();
  await service.status('Programmed True Programmed');
  const listeners = ', listeners: [{name: http, port: 8080, protocol: HTTP}]';
  const other = gatewayWith('fixed', ', addresses: [{routability: Cluster, value: 10.0.88.8}]');
  await operator.api.apply(other.replace(', listeners: [{name: http, port: 80, protocol: HTTP}]', listeners));
  const changed = await service.fits('has the port', (live) => live.spec?.ports?.[0]?.port === 8080);
  t.is(changed?.spec?.clusterIP, before?.spec?.clusterIP);
  await service.status('Programmed False AddressNotUsable', 'which Kubernetes does not change to 10.0.88.8');
});

test('an address outside and one inside are two addresses of one Service', async (t) => {
  t.timeout(patient);
  const service = await apply('mixed', ', addresses: [{}, {routability: Cluster}]');
  const live = await service.fits('is balanced', ({ spec }) => spec?.type === 'LoadBalancer');
  await service.serve();
  await service.status('AddressesAssigned False PartiallyAssigned');
  await service.balance('192.0.2.12');
  const status = await service.status('Programmed True Programmed');
  t.deepEqual(status.addresses, [
    { type: 'IPAddress', value: '192.0.2.12', routability: '' },
    { type: 'IPAddress', value: live?.spec?.clusterIP ?? '', routability: 'Cluster' },
  ]);
});

test('a Gateway moves between scopes, and its Service loses nothing else', async (t) => {
  t.timeout(patient);
  const marked = ', infrastructure: {labels: {team: web}, annotations: {example.com/cost: "7"}}';
  const service = await apply('moving', marked);
  const first = await service.fits('is balanced', ({ spec }) => spec?.type === 'LoadBalancer');
  await service.serve();
  await service.balance('192.0.2.13');
  await service.status('Programmed True Programmed');
  const moved = async (scope: string, fits: Parameters<GatewayService['fits']>[1]) => {
    await operator.api.apply(gatewayWith('moving', `${marked}, addresses: [{routability: ${scope}}]`));
    const live = await service.fits(scope, fits);
    t.like(live?.metadata, { uid: first?.metadata.uid, labels: { team: 'web' } }, scope);
    t.is(live?.metadata.annotations?.['example.com/cost'], '7', scope);
    t.is(live?.spec?.clusterIP, first?.spec?.clusterIP, scope);
    return live;
  };
  const internal = ({ metadata }: { metadata: { annotations?: Readonly<Record<string, string>> } }) =>
    metadata.annotations?.['cloud.example/internal'];
  await moved(ofNetwork, (live) => internal(live) === 'true' && live.spec?.type === 'LoadBalancer');
  await service.status('Programmed True Programmed');
  const inside = await moved('Cluster', (live) => live.spec?.type === 'ClusterIP' && internal(live) === undefined);
  t.is(inside?.spec?.ports?.[0]?.nodePort, undefined, 'no node has it open any more');
  await service.addressed(`Cluster ${first?.spec?.clusterIP}`);
  await service.status('Programmed True Programmed');
  await moved(ofInternet, (live) => live.spec?.type === 'LoadBalancer' && internal(live) === undefined);
  t.pass();
});
