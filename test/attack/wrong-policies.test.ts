import test from 'ava';
import { routeObject, type Standalone, startStandalone } from '../support/standalone.ts';
import { until } from '../support/until.ts';

/** A file with an AccessPolicy that is wrong: what it is for lets no request in, and everything else is served. */

const group = 'gateway.networking.k8s.io';
const route = (name: string) => ({ group, kind: 'HTTPRoute', name });
const policy = (name: string, targetRefs: readonly object[], spec: object, creationTimestamp?: string): object => ({
  apiVersion: 'gatewright.dev/v1alpha1',
  kind: 'AccessPolicy',
  metadata: { name, ...(creationTimestamp && { creationTimestamp }) },
  spec: { targetRefs, ...spec },
});
const keys = {
  apiVersion: 'v1',
  kind: 'Secret',
  metadata: { name: 'keys', labels: { 'gatewright.dev/credentials': 'true' } },
  stringData: { ann: 'key-of-ann' },
};
const good = { apiKeys: { secretRefs: [{ name: 'keys' }], from: [{ header: 'x-key' }] } };
const wrong = { apiKeys: { secretRefs: [{ name: 'keys' }], form: [{ header: 'x-key' }] } };

const served = ({ control: { graph, xds } }: Standalone) =>
  xds.nodes.list().some(({ ready, lastAckVersion }) => ready && lastAckVersion === graph.snapshot()?.id);

const answers = async (gateway: Standalone) =>
  Promise.all(['a.test', 'b.test', 'open.test'].map(async (host) => (await gateway.get(host)).status));

test('a policy that is wrong from the start closes its targets, and is in force once it is right', async (t) => {
  const gateway = await startStandalone();
  t.teardown(() => gateway.stop());
  gateway.write('web.yaml', ...(await gateway.backend('web')), keys);
  gateway.write(
    'routes.yaml',
    // An older policy that lets all requests in takes nothing away.
    policy('older', [route('a')], { authorization: { default: 'Allow' } }, '2020-01-01T00:00:00Z'),
    policy('keys', [route('a'), route('b'), { group, kind: 'Nonsense', name: 'b' }], wrong),
    ...['a', 'b', 'open'].map((name) =>
      routeObject(name, `${name}.test`, [{ backendRefs: [{ name: 'web', port: 80 }] }]),
    ),
  );
  await until('the open host to be served', async () => (await answers(gateway))[2] === 200 && served(gateway));
  t.deepEqual(await answers(gateway), [500, 500, 200]);
  const [entry] =
    (gateway.control.graph.statusOf('AccessPolicy', 'default/keys') as { ancestors?: never[] } | undefined)
      ?.ancestors ?? [];
  t.like((entry as { conditions?: unknown[] } | undefined)?.conditions?.[0], { type: 'Accepted', reason: 'Invalid' });

  gateway.write('routes-2.yaml', routeObject('late', 'late.test', [{ backendRefs: [{ name: 'web', port: 80 }] }]));
  await until('another route to be served', async () => (await gateway.get('late.test')).status === 200);
  t.deepEqual(await answers(gateway), [500, 500, 200]);

  const rest = ['a', 'b', 'open'].map((name) =>
    routeObject(name, `${name}.test`, [{ backendRefs: [{ name: 'web', port: 80 }] }]),
  );
  gateway.write('routes.yaml', policy('keys', [route('a'), route('b')], good), ...rest);
  await until('the right policy to be in force', async () => (await answers(gateway)).join() === '401,401,200');
  gateway.write('routes.yaml', policy('keys', [route('a'), route('b')], wrong), ...rest);
  await until('the fault to be read', () => gateway.log.some(({ msg }) => String(msg).includes('former version')));
  t.deepEqual(await answers(gateway), [401, 401, 200], 'the former version is in force');
  gateway.write('routes.yaml', ...rest);
  await until('a policy that is gone to demand nothing', async () => (await answers(gateway)).join() === '200,200,200');
});
