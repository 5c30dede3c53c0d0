import test from 'ava';
import { createAuthority } from '../../scripts/example/certificate.ts';
import { freePort } from '../../scripts/free-port.ts';
import { startHttp3Talk } from '../support/http3-talk.ts';
import { pause } from '../support/pace.ts';
import { isCurrent, routeObject, startStandalone } from '../support/standalone.ts';
import { until, untilFits } from '../support/until.ts';

const group = 'gateway.networking.k8s.io';
const edge = { group, kind: 'Gateway', name: 'edge' };
const policy = (kind: string, name: string, target: object, spec: object) => ({
  apiVersion: 'gatewright.dev/v1alpha1',
  kind,
  metadata: { name },
  spec: { targetRefs: [target], ...spec },
});
const keys = { apiKeys: { secretRefs: [{ name: 'keys' }], from: [{ header: 'x-key' }] } };
const places = [edge, { group, kind: 'HTTPRoute', name: 'web' }, { ...edge, sectionName: 'web' }];

test('a demand that moves between Gateway, listener and route holds at every moment for requests by HTTP/3', async (t) => {
  t.timeout(300_000);
  const port = await freePort();
  const authority = await createAuthority('ours');
  const { certificatePem, keyPem } = await authority.issue({ hostnames: ['web.test'] });
  const secret = (name: string, more: object) => ({ apiVersion: 'v1', kind: 'Secret', metadata: { name }, ...more });
  const world = await startStandalone();
  t.teardown(world.stop);
  const [gatewayClass] = world.gatewayObjects;
  const tls = { certificateRefs: [{ name: 'web' }] };
  world.write(
    'gateway.yaml',
    gatewayClass as object,
    {
      apiVersion: `${group}/v1`,
      kind: 'Gateway',
      metadata: { name: 'edge' },
      spec: {
        gatewayClassName: 'gatewright',
        listeners: [{ name: 'web', port, protocol: 'HTTPS', hostname: 'web.test', tls }],
      },
    },
    secret('web', { type: 'kubernetes.io/tls', stringData: { 'tls.crt': certificatePem, 'tls.key': keyPem } }),
    secret('keys', {
      metadata: { name: 'keys', labels: { 'gatewright.dev/credentials': 'true' } },
      stringData: { ann: 'k' },
    }),
    policy('ListenerPolicy', 'http3', { ...edge, sectionName: 'web' }, { http3: { enabled: true } }),
    ...(await world.backend('web')),
    routeObject('web', 'web.test', [{ backendRefs: [{ name: 'web', port: 80 }] }]),
  );
  const { builder, graph } = world.control;
  const move = async (count: number) => {
    const mark = {
      apiVersion: 'v1',
      kind: 'ConfigMap',
      metadata: { name: 'count' },
      data: { 'jwks.json': `${count}` },
    };
    world.write('access.yaml', policy('AccessPolicy', 'keys', places[count % places.length] ?? edge, keys), mark);
    await until(
      'the policy to be read',
      () => graph.find('ConfigMap', 'default/count')?.data?.['jwks.json'] === `${count}`,
    );
    await builder.settled();
    await until('the proxy to have it', () => isCurrent(world));
  };
  await move(0);
  const { ask } = await startHttp3Talk(t, { host: 'web.test', port, ca: authority.certificatePem });
  await untilFits(
    'the guard to hold',
    () => ask('/', null),
    ({ status }) => status === 401,
  );
  let running = true;
  const seen = new Map<number, number>();
  const strangers = ['a', 'b', 'c', 'd'].map(async (connection) => {
    while (running) {
      const { status } = await ask('/', connection);
      seen.set(status, (seen.get(status) ?? 0) + 1);
      await pause();
    }
  });
  const moves = places.length * 10;
  for (let count = 1; count <= moves; count += 1) await move(count);
  running = false;
  await Promise.all(strangers);
  t.log(Object.fromEntries(seen));
  t.deepEqual([...seen.keys()], [401]);
});
