import test from 'ava';
import { type CountingBackend, send, startBackend } from '../support/http.ts';
import { routeObject, startStandalone } from '../support/standalone.ts';
import { untilFits } from '../support/until.ts';

const slice = (service: string, backends: Readonly<Record<string, CountingBackend>>, ready = true) =>
  Object.entries(backends).map(([zone, { port }]) => ({
    apiVersion: 'discovery.k8s.io/v1',
    kind: 'EndpointSlice',
    metadata: { name: `${service}-${zone}`, labels: { 'kubernetes.io/service-name': service } },
    addressType: 'IPv4',
    ports: [{ port }],
    endpoints: [{ addresses: ['127.0.0.1'], zone, conditions: { ready: ready || zone !== 'z1' } }],
  }));

const service = (name: string, more: object = {}) => ({
  apiVersion: 'v1',
  kind: 'Service',
  metadata: { name },
  spec: { ports: [{ port: 80 }], ...more },
});

test("endpoints of the proxy's own zone get all requests where the Service asks for it, others when it has none", async (t) => {
  const [here, there, far] = [await startBackend(t), await startBackend(t), await startBackend(t)];
  const backends = { z1: here, z2: there, z3: far };
  const files = {
    'services.yaml': [service('near', { trafficDistribution: 'PreferSameZone' }), service('any')],
    'near.yaml': slice('near', backends),
    'any.yaml': slice('any', backends),
    'route.yaml': [
      routeObject('near', 'near.test', [{ backendRefs: [{ name: 'near', port: 80 }] }]),
      routeObject('any', 'any.test', [{ backendRefs: [{ name: 'any', port: 80 }] }]),
    ],
  };
  const { port, write, stop } = await startStandalone(files, { zone: 'z1' });
  t.teardown(stop);
  const counts = () => [here, there, far].map(({ requests }) => requests.length);
  const sendMany = async (host: string) => {
    const before = counts();
    for (let sent = 0; sent < 60; sent++) t.is((await send(port, { host })).status, 200);
    return counts().map((count, index) => count - (before[index] ?? 0));
  };
  for (const host of ['near.test', 'any.test']) {
    await untilFits(
      `${host} to serve`,
      () => send(port, { host }),
      ({ status }) => status === 200,
    );
  }
  t.deepEqual(await sendMany('near.test'), [60, 0, 0]);
  // Each of Envoy's workers goes round by itself, so shares are about the same, not exactly.
  const shares = await sendMany('any.test');
  t.true(
    shares.every((count) => count > 10),
    shares.join(' '),
  );
  write('near.yaml', ...slice('near', backends, false));
  await untilFits(
    'the endpoint to be gone',
    async () => (await sendMany('near.test'))[0],
    (count) => count === 0,
  );
  const [, second = 0, third = 0] = await sendMany('near.test');
  t.is(second + third, 60);
  t.true(second > 0 && third > 0, `${second} and ${third}`);
});

test('whatever the balancer, the own zone goes first and others are there when it has none; a hash is over all zones', async (t) => {
  const [here, there, far] = [await startBackend(t), await startBackend(t), await startBackend(t)];
  const backends = { z1: here, z2: there, z3: far };
  const slowStart = { window: '1s' };
  const balancers = {
    rr: { type: 'RoundRobin', slowStart },
    lr: { type: 'LeastRequest', slowStart },
    random: { type: 'Random' },
    hash: { type: 'ConsistentHash', consistentHash: { type: 'Header', header: { name: 'x-client' } } },
  };
  const names = Object.keys(balancers);
  const sliceFile = (ready: boolean) => names.flatMap((name) => slice(name, backends, ready));
  const { port, write, stop } = await startStandalone(
    {
      'services.yaml': names.map((name) => service(name, { trafficDistribution: 'PreferSameZone' })),
      'slices.yaml': sliceFile(true),
      'policies.yaml': Object.entries(balancers).map(([name, loadBalancer]) => ({
        apiVersion: 'gatewright.dev/v1alpha1',
        kind: 'BackendPolicy',
        metadata: { name },
        spec: { targetRefs: [{ group: '', kind: 'Service', name }], loadBalancer },
      })),
      'route.yaml': names.map((name) => routeObject(name, `${name}.test`, [{ backendRefs: [{ name, port: 80 }] }])),
    },
    { zone: 'z1' },
  );
  t.teardown(stop);
  const counts = () => [here, there, far].map(({ requests }) => requests.length);
  const shares = async (name: string) => {
    const before = counts();
    for (let sent = 0; sent < 60; sent++) {
      const headers = { 'x-client': `client-${sent}` };
      t.is((await send(port, { host: `${name}.test`, headers })).status, 200);
    }
    return counts().map((count, index) => count - (before[index] ?? 0));
  };
  for (const name of names) {
    await untilFits(
      `${name} to serve`,
      () => send(port, { host: `${name}.test` }),
      ({ status }) => status === 200,
    );
  }
  for (const name of ['rr', 'lr', 'random']) t.deepEqual(await shares(name), [60, 0, 0], name);
  const ofHash = await shares('hash');
  t.true(
    ofHash.every((count) => count > 0),
    `hash: ${ofHash.join(' ')}`,
  );
  write('slices.yaml', ...sliceFile(false));
  for (const name of names) {
    const [, second = 0, third = 0] = await untilFits(
      `the endpoint of ${name} to be gone`,
      () => shares(name),
      ([first]) => first === 0,
    );
    t.true(second > 0 && third > 0, `${name}: ${second} and ${third}`);
  }
});
