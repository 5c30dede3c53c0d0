import fc from 'fast-check';
import { maybe, names, namespaces } from './names.ts';

export const filters = fc.constantFrom(
  { type: 'RequestHeaderModifier', requestHeaderModifier: { set: [{ name: 'X-A', value: '1' }], remove: ['x-b'] } },
  { type: 'RequestRedirect', requestRedirect: { scheme: 'https', statusCode: 301 } },
  {
    type: 'URLRewrite',
    urlRewrite: { hostname: 'in.example.com', path: { type: 'ReplacePrefixMatch', replacePrefixMatch: '/z' } },
  },
  { type: 'RequestMirror', requestMirror: { backendRef: { name: 'a', port: 80 }, percent: 30 } },
  { type: 'RequestMirror', requestMirror: { backendRef: { name: 'b', namespace: 'other', port: 81 } } },
  { type: 'CORS', cors: { allowOrigins: ['https://*.a.com'], allowMethods: ['GET'], allowCredentials: true } },
  { type: 'ExtensionRef', extensionRef: { group: 'x', kind: 'Y', name: 'z' } },
  ...['a', 'b'].map((name) => ({
    type: 'ExtensionRef',
    extensionRef: { group: 'gatewright.dev', kind: 'HTTPFilter', name },
  })),
);

export const backendRefs = fc.array(
  fc.record({
    name: names,
    namespace: maybe(namespaces),
    port: fc.constantFrom(80, 81),
    weight: maybe(fc.constantFrom(0, 1, 3)),
    filters: fc.array(filters, { maxLength: 1 }),
  }),
  { maxLength: 3 },
);

export const authorityRef = fc.record({
  group: fc.constant(''),
  kind: fc.constantFrom('ConfigMap', 'ConfigMap', 'Secret'),
  name: names,
});

export const bundleRef = names.map((name) => ({ group: 'certificates.k8s.io', kind: 'ClusterTrustBundle', name }));

export const parentRefs = fc.array(
  fc.record({
    name: names,
    namespace: maybe(namespaces),
    sectionName: maybe(fc.constantFrom('one', 'two')),
    port: maybe(fc.constantFrom(80, 443)),
  }),
  { minLength: 1, maxLength: 2 },
);

/** Kinds and fields of the experimental channel, with few of everything else. */
export const xBackends = 'gateway.networking.x-k8s.io';

export const anyBackendRef = fc.oneof(
  names.map((name) => ({ name, port: 80 })),
  fc
    .record({ name: names, namespace: maybe(namespaces) })
    .map((ref) => ({ group: xBackends, kind: 'XBackend', ...ref })),
  names.map((name) => ({ group: 'multicluster.x-k8s.io', kind: 'ServiceImport', name, port: 80 })),
  names.map((name) => ({ group: 'gatewright.dev', kind: 'DynamicBackend', name })),
  fc
    .record({ name: names, namespace: maybe(namespaces) })
    .map((ref) => ({ group: 'inference.networking.k8s.io', kind: 'InferencePool', ...ref })),
);

export const backendTarget = fc.oneof(
  names.map((name) => ({ group: '', kind: 'Service', name })),
  names.map((name) => ({ group: xBackends, kind: 'XBackend', name })),
  names.map((name) => ({ group: 'multicluster.x-k8s.io', kind: 'ServiceImport', name })),
);

export const stickiness = fc.constantFrom(
  { type: 'Cookie', cookie: { name: 's' } },
  { type: 'Header', header: { name: 'X-Pin' }, absoluteTimeout: '1m' },
  { type: 'Cookie', cookie: { path: 'no path' } },
);

export const auth = anyBackendRef.map((backendRef) => ({
  type: 'ExternalAuth',
  externalAuth: { protocol: 'GRPC', grpc: { allowedHeaders: ['x-a'] }, backendRef },
}));

/** Routes that choose among services by model, with all that these refer to. */
export const serviceRef = fc
  .record({ name: names, namespace: maybe(namespaces) })
  .map((ref) => ({ group: 'gatewright.dev', kind: 'AIService', ...ref }));
