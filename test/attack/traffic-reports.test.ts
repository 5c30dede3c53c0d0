import { type ChannelCredentials, Client, status } from '@grpc/grpc-js';
import test, { type ExecutionContext } from 'ava';
import { type PickRow, trafficReportPath } from '../../src/contracts/index.ts';
import { createAuthorities, startMutualTlsControlPlane } from '../support/mutual-tls.ts';
import {
  dataPlane,
  dataPlaneRef,
  endpointSlice,
  gateway,
  gatewayClass,
  httpRoute,
  inferencePool,
  service,
} from '../support/objects.ts';
import { counted, failureReport, trafficReport, trafficRow } from '../support/traffic.ts';
import { until } from '../support/until.ts';
import { trusting } from '../support/xds-tls.ts';

// An agent of one tenant's Gateway, whose certificate is real, that lies about what passed.

const authorities = await createAuthorities();
const { authority, proxies } = authorities;
const theirs = 'httproute/theirs/shop/rule/0';

const objects = [
  gatewayClass(),
  gateway('a'),
  gateway('b', [{}], { namespace: 'theirs', infrastructure: { parametersRef: dataPlaneRef('showing') } }),
  dataPlane('showing', { failures: { clientAddress: 'Show' } }, { namespace: 'theirs' }),
  service('shop', [80], { namespace: 'theirs' }),
  endpointSlice('shop', ['10.0.0.1'], { namespace: 'theirs' }),
  inferencePool(
    'llama',
    {
      selector: { matchLabels: { app: 'llama' } },
      targetPorts: [{ number: 8000 }],
      endpointPickerRef: { name: 'shop', port: { number: 80 } },
    },
    { namespace: 'theirs' },
  ),
  httpRoute(
    'models',
    {
      parentRefs: [{ name: 'b' }],
      hostnames: ['models.test'],
      rules: [{ backendRefs: [{ group: 'inference.networking.k8s.io', kind: 'InferencePool', name: 'llama' }] }],
    },
    { namespace: 'theirs' },
  ),
  httpRoute(
    'shop',
    { parentRefs: [{ name: 'b' }], rules: [{ backendRefs: [{ name: 'shop', port: 80 }] }] },
    { namespace: 'theirs' },
  ),
];

async function world(t: ExecutionContext) {
  const hostnames = ['localhost'];
  const { xds, json } = await startMutualTlsControlPlane(t, { authorities, hostnames, objects });
  const send = (shown: ChannelCredentials, message: Readonly<Record<string, unknown>>): Promise<status> => {
    const client = new Client(`localhost:${xds}`, shown);
    t.teardown(() => client.close());
    const raw = (bytes: Buffer) => bytes;
    return new Promise((resolve) => {
      client.makeUnaryRequest(trafficReportPath, raw, raw, Buffer.from(JSON.stringify(message)), (error) =>
        resolve(error?.code ?? status.OK),
      );
    });
  };
  const agentOf = async (gatewayPath: string) =>
    trusting(
      { certificate: authority.certificatePem },
      await proxies.issue({ hostnames: ['proxy'], uris: [`spiffe://t/gateway/${gatewayPath}`] }),
    );
  const own = await agentOf('default/a');
  const stranger = trusting({ certificate: authority.certificatePem });
  await until('a snapshot', async () => (await json<{ verdict: string }>('/v1/problems')).verdict !== 'unknown');
  return { send, json, own, agentOf, stranger };
}

test('an agent reports for its own Gateway, and not for routes of another one', async (t) => {
  t.timeout(300_000);
  const { send, json, own, stranger } = await world(t);
  const counts = counted([trafficRow(theirs, { bad: 1000, backend: 'theirs/shop/80' })]);
  const lie = { counted: counts, failures: [failureReport(theirs, { backend: 'theirs/shop/80' })] };
  t.is(await send(stranger, trafficReport({ cluster: 'theirs/b', ...lie })), status.UNAUTHENTICATED);
  t.is(await send(own, trafficReport({ cluster: 'theirs/b', ...lie })), status.PERMISSION_DENIED);
  t.is((await json<{ totals: { requests: number } }>('/v1/traffic')).totals.requests, 0);

  t.is(await send(own, trafficReport({ nodeId: 'liar', cluster: 'default/a', ...lie })), status.OK);
  const { items } = await json<{ items: { name: string | null; reason: string; gateway: string }[] }>('/v1/traffic');
  t.deepEqual(
    items.map(({ name, reason, gateway: of }) => [name, reason, of]),
    [[null, 'unknown_route', 'default/a']],
  );
  t.deepEqual((await json<{ items: object[] }>('/v1/traffic?namespace=theirs')).items, []);
  t.deepEqual((await json<{ items: object[] }>('/v1/failures?route=HTTPRoute/theirs/shop')).items, []);
  t.deepEqual((await json<{ items: object[] }>('/v1/problems?area=traffic')).items, []);
  const backends = await json<{ name: string; endpoints: { verdicts: { verdict: string }[] }[] }[]>('/v1/backends');
  t.deepEqual(
    backends.flatMap(({ endpoints }) => endpoints.flatMap(({ verdicts }) => verdicts.map(({ verdict }) => verdict))),
    ['serving'],
  );
});

test('picks of pools that are not of its Gateway, or are none, count for no Gateway', async (t) => {
  t.timeout(300_000);
  const { send, json, own, agentOf } = await world(t);
  const pool = 'theirs/llama/8000/pool';
  const reported = (cluster: string, pick: readonly unknown[]) =>
    trafficReport({ nodeId: 'liar', cluster, counted: { ...counted([]), picks: [pick as unknown as PickRow] } });
  const items = async () => (await json<{ items: { requests: number }[] }>('/v1/picks')).items;
  t.is(await send(own, reported('default/a', [pool, 'picked', '10.0.0.1:8000', 1000])), status.OK);
  t.deepEqual(await items(), []);
  const theirs = await agentOf('theirs/b');
  t.is(await send(theirs, reported('theirs/b', ['theirs/shop/80', 'picked', '10.0.0.1:8000', 1000])), status.OK);
  t.deepEqual(await items(), []);
  for (const pick of [
    [pool, 'best', '10.0.0.1:8000', 1],
    [pool, 'picked', '<img src=x>', 1],
    [pool, 'picked', `${'1'.repeat(300)}:1`, 1],
    [pool, 'picked', '10.0.0.1:8000', -1],
    [pool, 'picked', '10.0.0.1:8000'],
    'picked',
  ])
    t.is(await send(theirs, reported('theirs/b', pick as readonly unknown[])), status.INVALID_ARGUMENT, String(pick));
  t.is(await send(theirs, reported('theirs/b', [pool, 'picked', '[2001:db8::1]:8000', 7])), status.OK);
  t.deepEqual(
    (await items()).map(({ requests }) => requests),
    [7],
  );
});

interface Clients {
  readonly items: readonly { readonly gateway: string; readonly path: string; readonly clientAddress: string | null }[];
}

test("clients' addresses that an agent reports although its DataPlane hides them are dropped, whatever another tenant's shows", async (t) => {
  t.timeout(300_000);
  const { send, json, own, agentOf } = await world(t);
  const failures = ['192.0.2.7', '2001:db8::7', '<img src=x>', ''].map((clientAddress, at) =>
    failureReport('', { clientAddress, path: `/${at}` }),
  );
  t.is(await send(own, trafficReport({ nodeId: 'liar', cluster: 'default/a', failures })), status.OK);
  const theirs = await agentOf('theirs/b');
  t.is(await send(theirs, trafficReport({ nodeId: 'honest', cluster: 'theirs/b', failures })), status.OK);
  const { items } = await json<Clients>('/v1/failures');
  const addresses = (of: string) =>
    items
      .filter((failure) => failure.gateway === of)
      .sort((a, b) => (a.path < b.path ? -1 : 1))
      .map(({ clientAddress }) => clientAddress);
  t.deepEqual(addresses('default/a'), [null, null, null, null]);
  t.deepEqual(addresses('theirs/b'), ['192.0.2.7', '2001:db8::7', null, null]);
  t.is(JSON.stringify(items).match(/192\.0\.2\.7/g)?.length, 1);
  const { clientAddress: _, ...older } = failureReport('', { path: '/older' });
  const report = trafficReport({ nodeId: 'older', cluster: 'theirs/b', failures: [older as never] });
  t.is(await send(theirs, report), status.OK, 'an agent of an older release, which knows no addresses');
});
