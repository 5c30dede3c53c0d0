import test from 'ava';
import { stringify } from 'yaml';
import { crdDir, ownCrdDir } from '../../scripts/paths.mjs';
import { DirectoryResourceStore } from '../../src/admin/index.ts';
import { type KindName, type KubernetesObject, kinds } from '../../src/gateway-api/index.ts';
import { preview } from '../../src/offline/preview/index.ts';
import { ObjectValidator } from '../../src/sources/index.ts';
import { startAdmin } from '../support/admin.ts';
import {
  aiObject,
  backendTlsPolicy,
  controllerName,
  dataPlane,
  gateway,
  gatewayClass,
  grpcRoute,
  httpRoute,
  l4Route,
  listenerSet,
  ownObject,
  referenceGrant,
  xObject,
} from '../support/objects.ts';
import { DirectoryHarness } from '../unit/sources/directory-harness.ts';

/** The orders that users see; a kind that comes later may stand anywhere between these. */
const managed = [
  'GatewayClass',
  'Gateway',
  'ListenerSet',
  'HTTPRoute',
  'GRPCRoute',
  'TCPRoute',
  'UDPRoute',
  'TLSRoute',
  'BackendTLSPolicy',
  'ReferenceGrant',
  'XBackend',
  'XBackendTrafficPolicy',
  'DataPlane',
  'BackendPolicy',
  'ListenerPolicy',
  'AIService',
  'TokenPolicy',
];
const translated = [
  'GatewayClass',
  'Gateway',
  'ListenerSet',
  'HTTPRoute',
  'GRPCRoute',
  'TLSRoute',
  'TCPRoute',
  'UDPRoute',
  'BackendPolicy',
  'BackendTLSPolicy',
  'ListenerPolicy',
  'XBackend',
  'XBackendTrafficPolicy',
  'DataPlane',
  'AIService',
  'TokenPolicy',
];
const byCategory = [
  ...['DataPlane', 'Gateway', 'GatewayClass', 'ListenerSet'],
  ...['GRPCRoute', 'HTTPRoute', 'TCPRoute', 'TLSRoute', 'UDPRoute'],
  ...['BackendPolicy', 'BackendTLSPolicy', 'ListenerPolicy', 'ReferenceGrant', 'XBackendTrafficPolicy'],
  ...['EndpointSlice', 'Pod', 'Service', 'XBackend'],
  ...['AIService', 'TokenPolicy'],
  ...['ClusterTrustBundle', 'ConfigMap', 'Namespace', 'Secret'],
];

const targetRefs = [{ group: '', kind: 'Service', name: 'web' }];
const gatewayRefs = [{ group: kinds.Gateway.group, kind: 'Gateway', name: 'edge' }];

/** One of each kind that is managed; names run against the orders. */
const objects: readonly KubernetesObject[] = [
  aiObject('TokenPolicy', 'a', {
    targetRefs: [{ ...gatewayRefs[0], kind: 'HTTPRoute', name: 'n' }],
    budgets: [{ unit: 'Tokens', limit: '10', per: 'Day' }],
  }),
  aiObject('AIService', 'b', {
    provider: 'openai',
    endpoint: { hostname: 'a.test', port: 443 },
    models: [{ name: 'm' }],
  }),
  dataPlane('c'),
  ownObject('BackendPolicy', 'd', { targetRefs, timeouts: { connect: '1s' } }),
  ownObject('ListenerPolicy', 'e', { targetRefs: gatewayRefs, timeouts: { request: '1s' } }),
  xObject('XBackendTrafficPolicy', 'f', { targetRefs }),
  xObject('XBackend', 'g', {
    type: 'ExternalHostname',
    port: { number: 443 },
    externalHostname: { hostname: 'a.test' },
  }),
  referenceGrant('h', { from: ['HTTPRoute', 'x'], to: ['Service'] }),
  backendTlsPolicy('i', { targetRefs, validation: { hostname: 'a.test', wellKnownCACertificates: 'System' } }),
  l4Route('TLSRoute', 'j', { hostnames: ['a.test'] } as never),
  l4Route('UDPRoute', 'k'),
  l4Route('TCPRoute', 'l'),
  grpcRoute('m'),
  httpRoute('n'),
  listenerSet('o'),
  gateway('p'),
  gatewayClass('q'),
];

const known = (names: readonly string[], pinned: readonly string[]): string[] =>
  names.filter((name) => pinned.includes(name));

test('translate has the statuses of objects in this order of kinds', (t) => {
  const events = objects.map((object) => ({ kind: kinds[object.kind as KindName], object }));
  const { statuses } = preview(events as never, { controllerName, now: new Date(0) });
  t.deepEqual(
    known(
      statuses.map(({ kind }) => kind),
      translated,
    ),
    translated,
  );
});

test('managed resources are listed in this order of kinds', async (t) => {
  const harness = await DirectoryHarness.create({
    'all.yaml': objects.map((object) => stringify(object)).join('---\n'),
  });
  t.teardown(() => harness[Symbol.asyncDispose]());
  const validator = await ObjectValidator.load([crdDir('experimental'), ownCrdDir]);
  await harness.start({ validator });
  t.deepEqual(harness.problems(), []);
  const resources = new DirectoryResourceStore({ source: { live: harness.live() }, validator });
  const admin = await startAdmin(undefined, { resources });
  t.teardown(() => admin.close());
  const listed = (await (await admin.layout1('/v1/resources')).json()) as { readonly kind: string }[];
  t.deepEqual(
    known(
      listed.map(({ kind }) => kind),
      managed,
    ),
    managed,
  );
  const rejection = await (await admin.layout1('/v1/resources?kind=spaceship')).json();
  const { message, details } = (
    rejection as { error: { message: string; details: { path: string; message: string }[] } }
  ).error;
  t.deepEqual(known(message.match(/\w+/g) ?? [], managed), managed);
  t.deepEqual(
    known(
      details.map(({ path }) => path),
      managed,
    ),
    managed,
  );
  t.is(details.find(({ path }) => path === 'XBackend')?.message, 'gateway.networking.x-k8s.io/v1alpha1, xbackends');
  t.is(details.find(({ path }) => path === 'DataPlane')?.message, 'gatewright.dev/v1alpha1, dataplanes, dplane');
});

test('kinds are listed by category, in the order of their names', async (t) => {
  const admin = await startAdmin();
  t.teardown(() => admin.close());
  const listed = (await (await admin.layout1('/v1/resource-kinds')).json()) as { readonly kind: string }[];
  t.deepEqual(
    known(
      listed.map(({ kind }) => kind),
      byCategory,
    ),
    byCategory,
  );
});
