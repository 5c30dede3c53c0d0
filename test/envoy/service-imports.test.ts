import test from 'ava';
import { backend, startWorld } from '../support/graph-proxy.ts';
import { send, serviceObjects, startBackend } from '../support/http.ts';
import { askTcp, startTcpBackend } from '../support/l4-backends.ts';
import {
  endpointSlice,
  gateway,
  httpRoute,
  importLabel,
  l4Route,
  ownObject,
  referenceGrant,
  service,
  serviceImport,
  serviceLabel,
} from '../support/objects.ts';
import { thorough } from '../support/repetitions.ts';
import { routeObject, startStandalone } from '../support/standalone.ts';
import { untilFits } from '../support/until.ts';

/** ServiceImports as backends: Services of other clusters, by the EndpointSlices that a controller writes for them. */

const group = 'multicluster.x-k8s.io';
const imported = (name: string, namespace?: string) => [
  { backendRefs: [{ group, kind: 'ServiceImport', name, port: 80, ...(namespace && { namespace }) }] },
];
const importedSlice = (
  name: string,
  port: number,
  more: { readonly namespace?: string; readonly suffix?: string } = {},
) => endpointSlice(name, ['127.0.0.1'], { port, labels: { [importLabel]: name }, ...more });

test('requests go to the endpoints of a ServiceImport, on hosts that a table has and on hosts of a wildcard, as slices come and go', async (t) => {
  const [far, near] = [
    await startBackend(t, (_, response) => response.end('far')),
    await startBackend(t, (_, response) => response.end('near')),
  ];
  // A Service of the same name is another backend.
  const world = await startStandalone({
    'near.yaml': serviceObjects('shop', [near.port]),
    'import.yaml': [{ ...serviceImport('shop', [80]), metadata: { name: 'shop' } }],
    'slices.yaml': [],
    'route.yaml': [
      routeObject('far', 'far.test', imported('shop')),
      routeObject('wild', '*.wild.test', imported('shop')),
      routeObject('near', 'near.test', [{ backendRefs: [{ name: 'shop', port: 80 }] }]),
    ],
  });
  t.teardown(world.stop);
  const answered = (host: string, wanted: { readonly status: number; readonly body?: string }) =>
    untilFits(
      `${host} to answer ${wanted.status}`,
      () => send(world.port, { host }),
      ({ status, body }) => status === wanted.status && (wanted.body === undefined || body === wanted.body),
    );
  await answered('near.test', { status: 200, body: 'near' });
  await answered('far.test', { status: 503 });
  const { metadata, ...rest } = importedSlice('shop', far.port);
  world.write('slices.yaml', { ...rest, metadata: { name: 'shop-far', labels: metadata.labels } });
  for (const host of ['far.test', 'late.wild.test']) await answered(host, { status: 200, body: 'far' });
  await answered('near.test', { status: 200, body: 'near' });
  const { body } = await world.json(world.control.ports.layout1, '/v1/backends');
  t.regex(JSON.stringify(body), /"kind":"ServiceImport"/);
  t.regex(JSON.stringify(body), new RegExp(`127\\.0\\.0\\.1:${far.port}`));
  world.write('slices.yaml');
  await answered('far.test', { status: 503 });
  world.write('import.yaml');
  await answered('far.test', { status: 500 });
});

test('connections of a TCPRoute go to a ServiceImport', async (t) => {
  const { envoy } = await startWorld(
    t,
    gateway('edge', [{ name: 'tcp', port: 9000, protocol: 'TCP' }]),
    serviceImport('bytes', [80]),
    importedSlice('bytes', await startTcpBackend(t, 'far')),
    l4Route('TCPRoute', 'tcp', { rules: imported('bytes') }),
  );
  t.is(await askTcp(await envoy.port('tcp/9000')), 'far');
});

thorough(test)(
  'a ServiceImport of another namespace needs a ReferenceGrant for ServiceImports, and one for Services is none',
  async (t) => {
    const far = await startBackend(t);
    const grant = referenceGrant('g', { from: ['HTTPRoute', 'default'], to: ['Service'] }, { namespace: 'other' });
    const { envoy, apply } = await startWorld(
      t,
      gateway('edge', [{ name: 'http', port: 80, protocol: 'HTTP' }]),
      serviceImport('shop', [80], { namespace: 'other' }),
      importedSlice('shop', far.port, { namespace: 'other' }),
      grant,
      httpRoute('web', { hostnames: ['web.test'], rules: imported('shop', 'other') as never }),
    );
    const port = await envoy.port('http/80');
    const status = async () => (await send(port, { host: 'web.test' })).status;
    t.is(await status(), 500);
    await apply({ ...grant, spec: { ...grant.spec, to: [{ group, kind: 'ServiceImport' }] } });
    t.is(await status(), 200);
  },
);

thorough(test)('BackendPolicies are for ServiceImports too, and fail over to them', async (t) => {
  const [near, far] = [await startBackend(t, (_, response) => response.end('near')), await startBackend(t)];
  const { envoy, apply } = await startWorld(
    t,
    gateway('edge', [{ name: 'http', port: 80, protocol: 'HTTP' }]),
    serviceImport('shop', [80]),
    importedSlice('shop', far.port),
    service('web', [{ port: 80, name: 'p80' }] as never),
    ownObject('BackendPolicy', 'web', {
      targetRefs: [{ group: '', kind: 'Service', name: 'web' }],
      failover: { backendRefs: [{ group, kind: 'ServiceImport', name: 'shop' }] },
    }),
    ownObject('BackendPolicy', 'shop', {
      targetRefs: [{ group, kind: 'ServiceImport', name: 'shop' }],
      failover: { backendRefs: [{ name: 'web' }] },
    }),
    httpRoute('web', { hostnames: ['web.test'], rules: [{ backendRefs: [{ name: 'web', port: 80 }] }] as never }),
    httpRoute('shop', { hostnames: ['shop.test'], rules: imported('shop') as never }),
  );
  const port = await envoy.port('http/80');
  const body = async (host: string) => (await send(port, { host })).body;
  t.is(await body('web.test'), 'ok');
  t.is(await body('shop.test'), 'ok');
  await apply(...backend('web', near.port));
  t.is(await body('web.test'), 'near');
  t.is(await body('shop.test'), 'ok');
  // The slice is now of the Service alone: the import has none, and fails over.
  await apply(endpointSlice('shop', ['127.0.0.1'], { port: far.port, labels: { [serviceLabel]: 'shop' } }));
  t.is(await body('shop.test'), 'near');
});
