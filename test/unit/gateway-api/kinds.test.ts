import test from 'ava';
import { managedKinds } from '../../../src/admin/resources/index.ts';
import { definedKinds } from '../../../src/gateway-api/gen/kinds.ts';
import { kinds, maxAncestors } from '../../../src/gateway-api/index.ts';

const core = ['Namespace', 'ConfigMap', 'Secret', 'Service', 'EndpointSlice', 'Pod', 'ClusterTrustBundle'];

test('definitions say of each kind where it is kept, as the table by hand has it', (t) => {
  for (const { name, group, version, plural, namespaced } of Object.values(definedKinds))
    t.deepEqual({ ...kinds[name] }, { name, group, version, plural, namespaced });
  t.deepEqual(
    Object.keys(kinds).filter((name) => !(name in definedKinds)),
    core,
  );
});

test('definitions have the short names that the admin API takes', (t) => {
  const byHand = Object.fromEntries(managedKinds.map(({ kind, shortNames }) => [kind.name, shortNames]));
  t.deepEqual(
    Object.fromEntries(Object.values(definedKinds).map(({ name, shortNames }) => [name, shortNames])),
    byHand,
  );
});

test('definitions bound lists of ancestors as the table by hand does', (t) => {
  const bounded = Object.values(definedKinds).filter((kind) => 'maxAncestors' in kind);
  t.deepEqual(Object.fromEntries(bounded.map(({ name, maxAncestors: bound }) => [name, bound])), maxAncestors);
});

test('definitions say by their properties which form a status has', (t) => {
  const forms = Object.fromEntries(Object.values(definedKinds).map(({ name, statusForm }) => [name, statusForm]));
  t.deepEqual(forms, {
    AIService: 'conditions',
    BackendPolicy: 'ancestors',
    DataPlane: 'conditions',
    ListenerPolicy: 'ancestors',
    TokenPolicy: 'conditions',
    GatewayClass: 'conditions',
    ReferenceGrant: 'none',
    XBackend: 'ancestors',
    XBackendTrafficPolicy: 'ancestors',
    BackendTLSPolicy: 'ancestors',
    Gateway: 'listeners',
    ListenerSet: 'listeners',
    HTTPRoute: 'parents',
    GRPCRoute: 'parents',
    TLSRoute: 'parents',
    TCPRoute: 'parents',
    UDPRoute: 'parents',
  });
});
