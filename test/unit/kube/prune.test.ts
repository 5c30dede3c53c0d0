import test from 'ava';
import { kinds } from '../../../src/gateway-api/index.ts';
import { prune } from '../../../src/kube/index.ts';

const metadata = {
  name: 'x',
  namespace: 'n',
  uid: 'u',
  resourceVersion: '1',
  creationTimestamp: '2026-01-01T00:00:00Z',
  managedFields: [{}],
  annotations: { 'kubectl.kubernetes.io/last-applied-configuration': '{}' },
};
const kept = { name: 'x', namespace: 'n', uid: 'u', resourceVersion: '1', creationTimestamp: '2026-01-01T00:00:00Z' };
const raw = (body: object, more: object = {}) => ({ ...body, metadata: { ...metadata, ...more } }) as never;

test('bookkeeping of the API server goes, Gateway API objects stay whole', (t) => {
  const route = prune(
    kinds.HTTPRoute,
    raw({ spec: { a: 1 }, status: { parents: [] } }, { generation: 3, labels: { l: '1' } }),
  );
  t.deepEqual(route, {
    apiVersion: 'gateway.networking.k8s.io/v1',
    kind: 'HTTPRoute',
    metadata: { ...kept, generation: 3, labels: { l: '1' } },
    spec: { a: 1 },
    status: { parents: [] },
  } as never);
});

test('other annotations stay', (t) => {
  const { metadata: pruned } = prune(
    kinds.Service,
    raw({ spec: {} }, { annotations: { ...metadata.annotations, mine: 'yes' } }),
  );
  t.deepEqual(pruned.annotations, { mine: 'yes' });
});

test('of a Secret only what TLS needs stays', (t) => {
  const secret = prune(
    kinds.Secret,
    raw({ type: 'Opaque', data: { 'tls.crt': 'a', 'tls.key': 'b', 'ca.crt': 'c', password: 'd' }, immutable: true }),
  );
  t.deepEqual(secret as object, {
    apiVersion: 'v1',
    kind: 'Secret',
    metadata: kept,
    type: 'Opaque',
    data: { 'tls.crt': 'a', 'tls.key': 'b', 'ca.crt': 'c' },
  });
});

test('of a Secret or ConfigMap that is labelled for it everything stays', (t) => {
  const labels = { 'gatewright.dev/credentials': 'true' };
  const secret = prune(kinds.Secret, raw({ type: 'Opaque', data: { alice: 'a', bob: 'b' } }, { labels }));
  t.like(secret, { data: { alice: 'a', bob: 'b' } });
  const other = prune(
    kinds.Secret,
    raw({ data: { alice: 'a', '.htpasswd': 'h' } }, { labels: { 'gatewright.dev/credentials': 'no' } }),
  );
  t.like(other, { data: { '.htpasswd': 'h' } });
  t.false('alice' in ((other as { data?: object }).data ?? {}));
  t.like(prune(kinds.ConfigMap, raw({ data: { staff: '{}' } }, { labels })), { data: { staff: '{}' } });
});

test('of the binary data of a ConfigMap, WebAssembly alone stays', (t) => {
  const module = Buffer.from('\0asm and more').toString('base64');
  const { binaryData } = prune(kinds.ConfigMap, raw({ binaryData: { 'a.wasm': module, picture: 'iVBORw0KGgo=' } })) as {
    readonly binaryData?: object;
  };
  t.deepEqual(binaryData, { 'a.wasm': module });
  t.false('binaryData' in prune(kinds.ConfigMap, raw({ binaryData: { picture: 'iVBORw0KGgo=' } })));
});

test('families of addresses stay where they matter: of our own Services, and of backends of IPv6', (t) => {
  const both = { clusterIPs: ['10.0.0.1', 'fd00::1'], ipFamilies: ['IPv4', 'IPv6'], ipFamilyPolicy: 'PreferDualStack' };
  const six = { clusterIPs: ['fd00::1'], ipFamilies: ['IPv6'], ipFamilyPolicy: 'SingleStack' };
  const labels = { 'app.kubernetes.io/managed-by': 'gatewright' };
  const specOf = (spec: object, more: object = {}) =>
    (prune(kinds.Service, raw({ spec }, more)) as { spec?: object }).spec;
  t.deepEqual(specOf(both), {});
  t.deepEqual(specOf(six), { ipFamilies: ['IPv6'] });
  t.deepEqual(specOf(both, { labels }), both);
});

test('of a Service what routing needs stays', (t) => {
  const spec = {
    type: 'ClusterIP',
    clusterIP: '10.0.0.1',
    clusterIPs: ['10.0.0.1'],
    ports: [{ port: 80, name: 'a', extra: 1 }],
    sessionAffinity: 'None',
  };
  t.deepEqual(prune(kinds.Service, raw({ spec, status: { loadBalancer: {}, conditions: [] } })) as object, {
    apiVersion: 'v1',
    kind: 'Service',
    metadata: kept,
    spec: { type: 'ClusterIP', clusterIP: '10.0.0.1', ports: [{ port: 80, name: 'a' }] },
  });
});

test('of an EndpointSlice addresses and ports stay; null means none', (t) => {
  const labels = { 'kubernetes.io/service-name': 's', 'endpointslice.kubernetes.io/managed-by': 'c' };
  const endpoint = { addresses: ['10.0.0.1'], conditions: { ready: true }, targetRef: { kind: 'Pod' }, zone: 'z' };
  const slice = prune(
    kinds.EndpointSlice,
    raw({ addressType: 'IPv4', endpoints: [endpoint], ports: [{ port: 80 }] }, { labels }),
  );
  t.deepEqual(slice as object, {
    apiVersion: 'discovery.k8s.io/v1',
    kind: 'EndpointSlice',
    metadata: { ...kept, labels: { 'kubernetes.io/service-name': 's' } },
    addressType: 'IPv4',
    endpoints: [{ addresses: ['10.0.0.1'], conditions: { ready: true }, zone: 'z' }],
    ports: [{ port: 80 }],
  });
  t.like(prune(kinds.EndpointSlice, raw({ addressType: 'IPv4', endpoints: null, ports: null })), { endpoints: [] });
});

test('of a Pod what an address needs stays', (t) => {
  const status = {
    podIPs: [{ ip: '10.0.0.1' }],
    phase: 'Running',
    conditions: [
      { type: 'Initialized', status: 'True' },
      { type: 'Ready', status: 'True', lastTransitionTime: '2026-01-01T00:00:00Z' },
    ],
  };
  const spec = { nodeName: 'n1', containers: [{ env: [{ name: 'PASSWORD', value: 'hunter2' }] }] };
  const pod = prune(kinds.Pod, raw({ spec, status }, { labels: { app: 'a' }, annotations: { big: 'x' } }));
  t.deepEqual(pod as object, {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: { ...kept, labels: { app: 'a' } },
    spec: { nodeName: 'n1' },
    status: { podIPs: [{ ip: '10.0.0.1' }], conditions: [{ type: 'Ready', status: 'True' }] },
  });
});

test('what routes have in common they share, and what differs stays each one’s own', (t) => {
  const route = (host: string, lastTransitionTime: string) => {
    const status = { type: 'Accepted', status: 'True', reason: 'Accepted', message: '', lastTransitionTime };
    const parentRef = { group: 'gateway.networking.k8s.io', kind: 'Gateway', name: 'edge' };
    const rules = [
      { matches: [{ path: { type: 'PathPrefix', value: '/' } }], backendRefs: [{ name: host, port: 80 }] },
    ];
    const parents = [{ parentRef, controllerName: 'gatewright.dev/gateway-controller', conditions: [status] }];
    return { spec: { parentRefs: [parentRef], hostnames: [host], rules }, status: { parents } };
  };
  const [one, other, later] = [
    ['a.example.com', '2026-01-01T00:00:00Z'],
    ['b.example.com', '2026-01-01T00:00:00Z'],
    ['c.example.com', '2026-01-01T00:00:01Z'],
  ].map(([host, time]) => {
    const reported = route(host as string, time as string);
    const { spec, status } = prune(kinds.HTTPRoute, raw(reported)) as unknown as typeof reported;
    t.deepEqual({ spec, status }, reported);
    return { spec, status, rule: spec.rules[0], parent: status.parents[0] };
  });
  t.is(one?.spec.parentRefs, later?.spec.parentRefs);
  t.is(one?.rule?.matches, later?.rule?.matches);
  t.is(one?.parent?.parentRef, later?.parent?.parentRef);
  t.is(one?.parent?.conditions, other?.parent?.conditions);
  t.not(one?.parent?.conditions, later?.parent?.conditions);
});
