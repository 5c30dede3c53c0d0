import test from 'ava';
import { type KindName, kinds, maxAncestors } from '../../../src/gateway-api/index.ts';

const gatewayApi = 'gateway.networking.k8s.io/v1';
const experimental = 'gateway.networking.x-k8s.io/v1alpha1';
const own = 'gatewright.dev/v1alpha1';

/** Kinds in the order of reading, with what users and the API server know them by; `*` at the scope: cluster. */
const table: Readonly<
  Partial<Record<KindName, readonly [apiVersion: string, plural: string, status: string, short?: string]>>
> = {
  Namespace: ['/v1', '*namespaces', 'none'],
  GatewayClass: [gatewayApi, '*gatewayclasses', 'conditions', 'gc'],
  ReferenceGrant: [gatewayApi, 'referencegrants', 'none', 'refgrant'],
  ConfigMap: ['/v1', 'configmaps', 'none'],
  Secret: ['/v1', 'secrets', 'none'],
  Service: ['/v1', 'services', 'none'],
  ServiceImport: ['multicluster.x-k8s.io/v1alpha1', 'serviceimports', 'none', 'svcim'],
  EndpointSlice: ['discovery.k8s.io/v1', 'endpointslices', 'none'],
  Pod: ['/v1', 'pods', 'none'],
  ClusterTrustBundle: ['certificates.k8s.io/v1beta1', '*clustertrustbundles', 'none'],
  XBackend: [experimental, 'xbackends', 'ancestors'],
  DynamicBackend: [own, 'dynamicbackends', 'conditions', 'dynb'],
  XBackendTrafficPolicy: [experimental, 'xbackendtrafficpolicies', 'ancestors', 'xbtrafficpolicy'],
  DataPlane: [own, 'dataplanes', 'conditions', 'dplane'],
  BackendPolicy: [own, 'backendpolicies', 'ancestors', 'bpolicy'],
  EnvoyPatch: [own, 'envoypatches', 'ancestors', 'epatch'],
  AIService: [own, 'aiservices', 'conditions', 'ais'],
  TokenPolicy: [own, 'tokenpolicies', 'conditions', 'tokpol'],
  BackendTLSPolicy: [gatewayApi, 'backendtlspolicies', 'ancestors', 'btlspolicy'],
  ListenerPolicy: [own, 'listenerpolicies', 'ancestors', 'lpolicy'],
  XTelemetryPolicy: [experimental, 'xtelemetrypolicies', 'ancestors'],
  Gateway: [gatewayApi, 'gateways', 'listeners', 'gtw'],
  ListenerSet: [gatewayApi, 'listenersets', 'listeners', 'lset'],
  HTTPRoute: [gatewayApi, 'httproutes', 'parents'],
  GRPCRoute: [gatewayApi, 'grpcroutes', 'parents'],
  TLSRoute: [gatewayApi, 'tlsroutes', 'parents'],
  TCPRoute: [gatewayApi, 'tcproutes', 'parents'],
  UDPRoute: [gatewayApi, 'udproutes', 'parents'],
};

const pinned = Object.keys(table) as KindName[];

test('kinds are known by these names, and their statuses have these forms', (t) => {
  const facts = pinned.map((key) => {
    const { name, group, version, plural, namespaced, statusForm, shortNames } = kinds[key];
    return [name, [`${group}/${version}`, `${namespaced ? '' : '*'}${plural}`, statusForm, ...shortNames]] as const;
  });
  t.deepEqual(Object.fromEntries(facts), table as object);
});

test('kinds are read in this order', (t) => {
  t.deepEqual(
    Object.keys(kinds).filter((name) => name in table),
    pinned,
  );
});

test('what others refer to is read before Gateways, and routes last', (t) => {
  const forms = Object.values(kinds).map(({ statusForm }) => statusForm);
  t.deepEqual(Object.keys(kinds).slice(forms.indexOf('listeners'), forms.indexOf('parents')), [
    'Gateway',
    'ListenerSet',
  ]);
  t.true(forms.slice(forms.indexOf('parents')).every((form) => form === 'parents'));
});

test('lists of ancestors are as long as the API server takes them', (t) => {
  t.is(maxAncestors.BackendTLSPolicy, 16);
  t.is(maxAncestors.XBackend, 32);
  for (const { name, statusForm } of Object.values(kinds)) t.is(name in maxAncestors, statusForm === 'ancestors', name);
});

test('Secrets that nothing can use are left with the API server, and Pods where neither XBackend nor InferencePool is installed', (t) => {
  t.regex(kinds.Secret.fieldSelector, /^type!=kubernetes.io\/service-account-token,.*type!=helm.sh\/release.v1$/);
  t.deepEqual(kinds.Pod.onlyWith, ['XBackend', 'InferencePool']);
});
