import test from 'ava';
import fc from 'fast-check';
import { changesBetween } from '../../../src/graph/hosts/changes-between.ts';
import type { BuildResult, Graph } from '../../../src/graph/index.ts';
import { allChanges, type Snapshot } from '../../../src/ir/index.ts';
import { type Steps, toEnd } from '../../../src/std/steps/index.ts';
import { testCertificates } from '../../support/certificates.ts';
import {
  aiObject,
  backendTlsPolicy,
  clusterTrustBundle,
  configMap,
  controllerName,
  dataPlane,
  dataPlaneRef,
  endpointSlice,
  gateway,
  gatewayClass,
  grpcRoute,
  httpRoute,
  l4Route,
  listener,
  listenerSet,
  namespace,
  ownObject,
  pod,
  referenceGrant,
  secret,
  service,
  xObject,
} from '../../support/objects.ts';
import { type AnyObject, describeWorld, keyed, newGraph, ProxyResources, put, someTime } from '../../support/world.ts';

// Few names, so that objects meet: every reference has a good chance to resolve, break and resolve again.
const names = fc.constantFrom('a', 'b', 'c');
const namespaces = fc.constantFrom('default', 'other');
const hostnames = fc.constantFrom(
  'a.example.com',
  'b.example.com',
  '*.example.com',
  '*.a.example.com',
  'x.a.example.com',
  '*.com',
  'solo.org',
);
const created = fc.constantFrom('2026-01-01T00:00:00Z', '2026-01-02T00:00:00Z');
const generation = fc.integer({ min: 1, max: 1_000_000 });
/** What every object has of its own. */
const identity = { name: names, namespace: namespaces, generation, created };
const maybe = <T>(values: fc.Arbitrary<T>) => fc.option(values, { nil: undefined });
const [good, foreign] = testCertificates;
/** Where an object is, and nothing more of it. */
const place = fc.record({ name: names, namespace: namespaces });
const goodPair = { 'tls.crt': good.certificate, 'tls.key': good.key };
const goodSecrets = names.map((name) => secret(name, goodPair));
const goodSecretsAnywhere = place.map(({ name, ...where }) => secret(name, goodPair, where));
const goodAuthorities = names.map((name) => configMap(name, { 'ca.crt': good.certificate }));
const ourClass = fc.constantFrom(gatewayClass(), gatewayClass('gatewright', 'other.example/controller'));
const teams = fc
  .record({ name: namespaces, labels: fc.constantFrom({}, { team: 'a' }) })
  .map(({ name, labels }) => namespace(name, labels as Record<string, string>));
/** What a selector that fits one of `teams` is allowed by. */
const allowedFrom = (from: string) => ({
  namespaces: { from, ...(from === 'Selector' && { selector: { matchLabels: { team: 'a' } } }) },
});

const listeners = fc
  .uniqueArray(
    fc.record({
      name: fc.constantFrom('one', 'two', 'three', 'four'),
      port: fc.constantFrom(80, 443),
      protocol: fc.constantFrom('HTTP', 'HTTPS', 'HTTP', 'HTTPS', 'TLS', 'TLS', 'TCP', 'UDP', 'SCTP'),
      mode: fc.constantFrom('Terminate', 'Passthrough'),
      hostname: maybe(hostnames),
      secret: names,
      secretNamespace: maybe(namespaces),
      from: fc.constantFrom('All', 'Same', 'Selector'),
    }),
    { minLength: 1, maxLength: 4, selector: ({ name }) => name },
  )
  .map((specs) =>
    specs.map(({ secret: name, secretNamespace, from, mode, ...spec }) =>
      listener({
        ...spec,
        ...(spec.protocol === 'HTTPS' && { tls: { certificateRefs: [{ name, namespace: secretNamespace }] } }),
        ...(spec.protocol === 'TLS' && { tls: { mode, certificateRefs: [{ name, namespace: secretNamespace }] } }),
        allowedRoutes: allowedFrom(from),
      } as never),
    ),
  );

/** Beside a TCP port of the same number. */
const udpPort = { port: 80, name: 'p80', protocol: 'UDP' } as const;

const paths = fc.record({
  type: fc.constantFrom('PathPrefix', 'Exact', 'RegularExpression'),
  value: fc.constantFrom('/', '/a', '/a/b', '/(unclosed', '/.*'),
});
const filters = fc.constantFrom(
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
);
const backendRefs = fc.array(
  fc.record({
    name: names,
    namespace: maybe(namespaces),
    port: fc.constantFrom(80, 81),
    weight: maybe(fc.constantFrom(0, 1, 3)),
    filters: fc.array(filters, { maxLength: 1 }),
  }),
  { maxLength: 3 },
);
const rules = fc.array(
  fc.record({
    matches: fc.array(fc.record({ path: maybe(paths), method: maybe(fc.constantFrom('GET', 'POST')) }), {
      maxLength: 2,
    }),
    filters: fc.array(filters, { maxLength: 1 }),
    backendRefs,
    retry: maybe(fc.constantFrom({ codes: [500], attempts: 2 }, { attempts: 0 }, { backoff: '100ms' })),
    timeouts: maybe(fc.constant({ request: '2s', backendRequest: '1s' })),
  }),
  { minLength: 1, maxLength: 2 },
);
const grpcRules = fc.array(
  fc.record({
    matches: fc.array(
      fc.record({
        method: maybe(
          fc.record({
            type: fc.constantFrom('Exact', 'RegularExpression'),
            service: maybe(fc.constantFrom('a.B', 'c')),
            method: maybe(fc.constantFrom('Get', '[Get')),
          }),
        ),
      }),
      { maxLength: 2 },
    ),
    backendRefs,
  }),
  { maxLength: 2 },
);
const authorityRef = fc.record({
  group: fc.constant(''),
  kind: fc.constantFrom('ConfigMap', 'ConfigMap', 'Secret'),
  name: names,
});
const bundleRef = names.map((name) => ({ group: 'certificates.k8s.io', kind: 'ClusterTrustBundle', name }));
const gatewayTls = fc.record({
  backend: maybe(fc.record({ clientCertificateRef: fc.record({ name: names, namespace: maybe(namespaces) }) })),
  frontend: maybe(
    fc.record({
      default: fc.record({
        validation: fc.record({
          mode: fc.constantFrom('AllowValidOnly', 'AllowInsecureFallback'),
          caCertificateRefs: fc.array(
            fc.tuple(authorityRef, maybe(namespaces)).map(([ref, namespace]) => ({ ...ref, namespace })),
            {
              minLength: 1,
              maxLength: 2,
            },
          ),
        }),
      }),
    }),
  ),
});
const parentRefs = fc.array(
  fc.record({
    name: names,
    namespace: maybe(namespaces),
    sectionName: maybe(fc.constantFrom('one', 'two')),
    port: maybe(fc.constantFrom(80, 443)),
  }),
  { minLength: 1, maxLength: 2 },
);

const routesOf = (
  make: typeof httpRoute | typeof grpcRoute,
  theirRules: fc.Arbitrary<object>,
  maxHosts: number,
): fc.Arbitrary<AnyObject> =>
  fc
    .record({ ...identity, parentRefs, rules: theirRules, hostnames: fc.array(hostnames, { maxLength: maxHosts }) })
    .map(({ name, namespace: where, generation: number, created: at, ...spec }) =>
      make(name, spec as never, { namespace: where, generation: number, created: at }),
    );

const streamKinds = fc.constantFrom('TLSRoute', 'TLSRoute', 'TCPRoute', 'UDPRoute');
/** Only those of TLS have hosts. */
const l4RouteOf = (kind: string, name: string, hosts: readonly string[], spec: object, meta: object): AnyObject =>
  l4Route(kind as 'TLSRoute', name, (kind === 'TLSRoute' ? { ...spec, hostnames: hosts } : spec) as never, meta);

const objects: fc.Arbitrary<AnyObject> = fc.oneof(
  {
    arbitrary: routesOf(httpRoute, rules, 3),
    weight: 8,
  },
  {
    arbitrary: fc
      .record({
        kind: streamKinds,
        ...identity,
        parentRefs,
        backendRefs,
        hostnames: fc.array(hostnames, { minLength: 1, maxLength: 3 }),
      })
      .map(({ kind, name, parentRefs: parents, backendRefs: refs, hostnames: hosts, ...meta }) => {
        return l4RouteOf(kind, name, hosts, { parentRefs: parents, rules: [{ backendRefs: refs }] }, meta);
      }),
    weight: 6,
  },
  {
    arbitrary: routesOf(grpcRoute, grpcRules, 2),
    weight: 3,
  },
  {
    arbitrary: fc
      .record({
        ...identity,
        targetRefs: fc.array(
          fc.record({
            group: fc.constant(''),
            kind: fc.constantFrom('Service', 'Service', 'Service', 'Secret'),
            name: names,
            sectionName: maybe(fc.constantFrom('p80', 'p81', 'none')),
          }),
          { minLength: 1, maxLength: 2 },
        ),
        validation: fc.oneof(
          fc.record({ hostname: hostnames, caCertificateRefs: fc.array(authorityRef, { minLength: 1, maxLength: 2 }) }),
          fc.constant({ hostname: 'x.test', wellKnownCACertificates: 'System' }),
        ),
      })
      .map(({ name, targetRefs, validation, ...meta }) =>
        backendTlsPolicy(name, { targetRefs, validation } as never, meta),
      ),
    weight: 3,
  },
  {
    arbitrary: fc
      .record({
        name: names,
        namespace: namespaces,
        text: fc.constantFrom(good.certificate, foreign.certificate, 'garbage', ''),
      })
      .map(({ name, namespace: where, text }) => configMap(name, { 'ca.crt': text }, { namespace: where })),
    weight: 3,
  },
  {
    arbitrary: fc
      .record({
        name: names,
        namespace: namespaces,
        generation,
        listeners,
        tls: maybe(gatewayTls),
        infrastructure: maybe(names.map((parameters) => ({ parametersRef: dataPlaneRef(parameters) }))),
      })
      .map(({ name, listeners: specs, ...meta }) => gateway(name, specs, meta as never)),
    weight: 3,
  },
  {
    arbitrary: fc
      .record({
        name: names,
        namespace: namespaces,
        generation,
        spec: fc.constantFrom({}, { accessLog: { enabled: true } }, { bootstrap: { node: {} } }),
      })
      .map(({ name, spec, ...meta }) => dataPlane(name, spec, meta)),
    weight: 2,
  },
  {
    arbitrary: fc
      .record({ name: names, namespace: namespaces, ports: fc.subarray([80, 81, udpPort]) })
      .map(({ name, namespace: where, ports }) => service(name, ports as number[], { namespace: where })),
    weight: 3,
  },
  {
    arbitrary: fc
      .record({
        name: names,
        namespace: namespaces,
        addresses: fc.subarray(['10.0.0.1', '10.0.0.2', '10.0.0.3']),
        portName: fc.constantFrom('p80', 'p81'),
        suffix: fc.constantFrom('1', '2'),
      })
      .map(({ name, addresses, ...rest }) => endpointSlice(name, addresses, rest)),
    weight: 4,
  },
  {
    arbitrary: fc
      .record({
        name: names,
        namespace: namespaces,
        pair: fc.constantFrom(
          goodPair,
          { 'tls.crt': foreign.certificate, 'tls.key': foreign.key },
          { 'tls.crt': good.certificate, 'tls.key': foreign.key },
          {},
        ),
      })
      .map(({ name, namespace: where, pair }) => secret(name, pair as Record<string, string>, { namespace: where })),
    weight: 2,
  },
  {
    arbitrary: fc
      .record({
        name: names,
        namespace: namespaces,
        from: fc.tuple(fc.constantFrom('Gateway', 'HTTPRoute', 'GRPCRoute', 'TLSRoute', 'TCPRoute'), namespaces),
        to: fc.tuple(fc.constantFrom('Secret', 'Service', 'ConfigMap'), maybe(names)),
      })
      .map(({ name, namespace: where, from, to }) => referenceGrant(name, { from, to } as never, { namespace: where })),
    weight: 2,
  },
  {
    arbitrary: teams,
    weight: 1,
  },
  {
    arbitrary: fc.constantFrom(
      gatewayClass(),
      gatewayClass('gatewright', 'other.example/controller'),
      gatewayClass('gatewright', controllerName, { generation: 2 }),
      gatewayClass('gatewright', controllerName, { generation: 3, parametersRef: dataPlaneRef('a', 'default') }),
    ),
    weight: 1,
  },
);

/** Objects that meet in nearly every run: listeners that do not conflict, and routes of connections for them. */
const streamListeners = fc.subarray(
  [
    { name: 'exact', port: 443, protocol: 'TLS', hostname: 'a.example.com', tls: { mode: 'Passthrough' } },
    {
      name: 'wide',
      port: 443,
      protocol: 'TLS',
      hostname: '*.example.com',
      tls: { mode: 'Terminate', certificateRefs: [{ name: 'a' }] },
    },
    { name: 'any', port: 443, protocol: 'TLS', tls: { mode: 'Passthrough' } },
    { name: 'web', port: 443, protocol: 'HTTPS', hostname: 'b.example.com', tls: { certificateRefs: [{ name: 'a' }] } },
    { name: 'tcp', port: 80, protocol: 'TCP' },
    { name: 'udp', port: 80, protocol: 'UDP' },
  ] as const,
  { minLength: 1 },
);
const streamObjects: fc.Arbitrary<AnyObject> = fc.oneof(
  {
    arbitrary: fc
      .record({
        kind: streamKinds,
        name: names,
        generation,
        created,
        backend: names,
        section: maybe(fc.constantFrom('any', 'wide')),
        hosts: fc.array(hostnames, { minLength: 1, maxLength: 2 }),
      })
      .map(({ kind, name, backend, section, hosts, ...meta }) => {
        const spec = {
          parentRefs: [{ name: 'edge', ...(section && { sectionName: section }) }],
          rules: [{ backendRefs: [{ name: backend, port: 80 }] }],
        };
        return l4RouteOf(kind, name, hosts, spec, meta);
      }),
    weight: 8,
  },
  {
    arbitrary: fc
      .record({
        generation,
        listeners: streamListeners,
        hostname: fc.constantFrom('a.example.com', 'x.a.example.com'),
        mode: fc.constantFrom('Terminate', 'Passthrough'),
        tls: maybe(gatewayTls),
      })
      .map(({ listeners: specs, hostname, mode, ...meta }) => {
        const moved = specs.map((spec) => (spec.name === 'exact' ? { ...spec, hostname } : spec));
        const given = moved.map((spec) => (spec.name === 'wide' ? { ...spec, tls: { ...spec.tls, mode } } : spec));
        return gateway('edge', given as never, meta as never);
      }),
    weight: 3,
  },
  {
    arbitrary: fc
      .record({ name: names, generation, created, service: names, section: maybe(fc.constant('p80')) })
      .map(({ name, service: target, section, ...meta }) => {
        const targetRefs = [{ group: '', kind: 'Service', name: target, sectionName: section }];
        const validation = { hostname: 'x.test', wellKnownCACertificates: 'System' };
        return backendTlsPolicy(name, { targetRefs, validation } as never, meta);
      }),
    weight: 2,
  },
  { arbitrary: goodAuthorities, weight: 1 },
  { arbitrary: goodSecrets, weight: 1 },
  {
    arbitrary: fc.record({ name: names, generation, created, backend: names }).map(({ name, backend, ...meta }) => {
      const rules = [{ backendRefs: [{ name: backend, port: 80 }] }];
      return httpRoute(name, { parentRefs: [{ name: 'edge' }], rules } as never, meta);
    }),
    weight: 2,
  },
  {
    arbitrary: fc
      .record({ name: names, ports: fc.subarray([80, udpPort]) })
      .map(({ name, ports }) => service(name, ports as number[])),
    weight: 2,
  },
  { arbitrary: ourClass, weight: 1 },
);

/** Kinds and fields of the experimental channel, with few of everything else. */
const xBackends = 'gateway.networking.x-k8s.io';
const anyBackendRef = fc.oneof(
  names.map((name) => ({ name, port: 80 })),
  fc
    .record({ name: names, namespace: maybe(namespaces) })
    .map((ref) => ({ group: xBackends, kind: 'XBackend', ...ref })),
);
const backendTarget = fc.oneof(
  names.map((name) => ({ group: '', kind: 'Service', name })),
  names.map((name) => ({ group: xBackends, kind: 'XBackend', name })),
);
const stickiness = fc.constantFrom(
  { type: 'Cookie', cookie: { name: 's' } },
  { type: 'Header', header: { name: 'X-Pin' }, absoluteTimeout: '1m' },
  { type: 'Cookie', cookie: { path: 'no path' } },
);
const auth = anyBackendRef.map((backendRef) => ({
  type: 'ExternalAuth',
  externalAuth: { protocol: 'GRPC', grpc: { allowedHeaders: ['x-a'] }, backendRef },
}));
const experimental: fc.Arbitrary<AnyObject> = fc.oneof(
  {
    arbitrary: fc
      .record({
        name: names,
        generation,
        created,
        refs: fc.array(anyBackendRef, { minLength: 1, maxLength: 2 }),
        asks: fc.array(auth, { maxLength: 1 }),
        host: hostnames,
      })
      .map(({ name, refs, asks, host, ...meta }) => {
        const rules = [{ backendRefs: refs, filters: asks }];
        return httpRoute(name, { parentRefs: [{ name: 'edge' }], rules, hostnames: [host] } as never, meta);
      }),
    weight: 6,
  },
  {
    arbitrary: fc
      .record({ generation, wide: maybe(auth), any: maybe(auth) })
      .map(({ generation: number, wide, any }) => {
        const filters = (filter: object | undefined) => filter && { filters: { requests: [filter] } };
        const specs = [
          { name: 'wide', hostname: '*.example.com', ...filters(wide) },
          { name: 'any', ...filters(any) },
        ];
        return gateway('edge', specs as never, { generation: number });
      }),
    weight: 3,
  },
  {
    arbitrary: fc
      .record({
        name: names,
        namespace: namespaces,
        generation,
        number: fc.constantFrom(80, 81),
        hostname: maybe(fc.constant('out.example.com')),
        protocol: maybe(fc.constantFrom('TCP', 'H2C', 'HTTP11')),
        secret: maybe(names),
        authority: fc.oneof(authorityRef, bundleRef),
        secure: fc.boolean(),
        sticky: maybe(stickiness),
      })
      .map(({ name, number, hostname, protocol, secret: own, authority, secure, sticky, ...meta }) => {
        const validation = { hostname: 'x.test', caCertificateRefs: [authority] };
        const mode = own ? 'ClientAndServer' : 'ServerOnly';
        const spec = {
          port: { number },
          protocol,
          ...(hostname
            ? { type: 'ExternalHostname', externalHostname: { hostname } }
            : { type: 'EndpointSelector', endpointSelector: { matchLabels: { app: 'a' } } }),
          ...(secure && { tls: { mode, validation, ...(own && { clientCertificateRef: { name: own } }) } }),
          ...(sticky && { sessionPersistence: sticky }),
        };
        return xObject('XBackend', name, spec, meta);
      }),
    weight: 4,
  },
  {
    arbitrary: fc
      .record({
        ...identity,
        target: backendTarget,
        percent: fc.constantFrom(10, 20),
        sticky: maybe(stickiness),
      })
      .map(({ name, target, percent, sticky, ...meta }) => {
        const spec = {
          targetRefs: [target],
          retryConstraint: { budget: { percent } },
          ...(sticky && { sessionPersistence: sticky }),
        };
        return xObject('XBackendTrafficPolicy', name, spec, meta);
      }),
    weight: 3,
  },
  {
    arbitrary: fc
      .record({
        ...identity,
        target: backendTarget,
        connect: fc.constantFrom('1s', '2s'),
        grpc: fc.boolean(),
        tableSize: fc.constantFrom(11, 12),
        retry: fc.constantFrom('SafeMethods', 'NotProcessed', 'Never', undefined),
        request: fc.constantFrom('3s', undefined),
      })
      .map(({ name, target, connect, grpc, tableSize, retry, request, ...meta }) => {
        const spec = {
          targetRefs: [target],
          timeouts: { connect, ...(request && { request }) },
          ...(retry && { retry: { mode: retry } }),
          loadBalancer: { type: 'ConsistentHash', consistentHash: { type: 'SourceIP', tableSize } },
          ...(grpc && { healthCheck: { active: { grpc: {} } } }),
        };
        return ownObject('BackendPolicy', name, spec, meta);
      }),
    weight: 3,
  },
  {
    arbitrary: fc
      .record({
        name: names,
        namespace: namespaces,
        app: fc.constantFrom('a', 'b'),
        ready: fc.constantFrom('True', 'False'),
      })
      .map(({ name, namespace: where, app, ready }) =>
        pod(name, { app }, `10.1.0.${name.charCodeAt(0)}`, ready, where),
      ),
    weight: 3,
  },
  { arbitrary: names.map((name) => clusterTrustBundle(name, good.certificate)), weight: 1 },
  { arbitrary: goodAuthorities, weight: 1 },
  { arbitrary: goodSecrets, weight: 1 },
  { arbitrary: names.map((name) => service(name, [80])), weight: 2 },
  { arbitrary: ourClass, weight: 1 },
);

/** Routes that choose among services by model, with all that these refer to. */
const serviceRef = fc
  .record({ name: names, namespace: maybe(namespaces) })
  .map((ref) => ({ group: 'gatewright.dev', kind: 'AIService', ...ref }));
const models = fc.subarray(
  [{ name: 'm' }, { name: 'n', as: 'x' }, { name: 'o-', match: 'Prefix' }, { name: 'o-1' }] as const,
  { minLength: 1 },
);
const aiObjects: fc.Arbitrary<AnyObject> = fc.oneof(
  {
    arbitrary: fc
      .record({
        name: names,
        generation,
        created,
        refs: fc.array(serviceRef, { minLength: 1, maxLength: 2 }),
        others: fc.array(fc.constant({ name: 'a', port: 80 }), { maxLength: 1 }),
        host: hostnames,
      })
      .map(({ name, refs, others, host, ...meta }) => {
        const rules = [{ backendRefs: refs }, { backendRefs: [...others, ...refs] }];
        return httpRoute(name, { parentRefs: [{ name: 'edge' }], rules, hostnames: [host] } as never, meta);
      }),
    weight: 5,
  },
  {
    arbitrary: fc
      .record({
        name: names,
        namespace: namespaces,
        generation,
        models,
        port: maybe(fc.constantFrom(80, 81)),
        fallback: fc.uniqueArray(names, { maxLength: 2 }),
        secret: maybe(names),
        authority: maybe(names),
        idle: maybe(fc.constantFrom('0s', '1s')),
      })
      .map(({ name, models: offered, port, fallback, secret: key, authority, idle, ...meta }) => {
        const tls = authority && { caCertificateRefs: [{ name: authority }] };
        const spec = {
          provider: 'openai',
          endpoint: { hostname: 'api.test', ...(port && { port }), ...(tls && { tls }) },
          models: offered,
          fallback: fallback.map((other) => ({ name: other })),
          ...(key && { auth: { secretRef: { name: key } } }),
          ...(idle && { timeouts: { connectionIdle: idle } }),
        };
        return aiObject('AIService', name, spec, meta);
      }),
    weight: 6,
  },
  {
    arbitrary: fc
      .record({
        name: names,
        generation,
        kind: fc.constantFrom('HTTPRoute', 'AIService'),
        target: names,
        header: names,
      })
      .map(({ name, kind, target, header, ...meta }) => {
        const targetRefs = [{ group: '', kind, name: target }];
        const spec = { targetRefs, key: { type: 'Header', header }, budgets: [] };
        return aiObject('TokenPolicy', name, spec, meta);
      }),
    weight: 2,
  },
  {
    arbitrary: fc
      .record({ name: names, namespace: namespaces, key: fc.constantFrom('sk-1', 'sk-2', '') })
      .map(({ name, namespace: where, key }) => secret(name, { apiKey: key }, { namespace: where })),
    weight: 3,
  },
  { arbitrary: goodAuthorities, weight: 1 },
  {
    arbitrary: fc
      .record({ name: names, namespace: namespaces })
      .map(({ name, namespace: where }) =>
        referenceGrant(name, { from: ['HTTPRoute', 'default'], to: ['AIService'] } as never, { namespace: where }),
      ),
    weight: 1,
  },
  { arbitrary: generation.map((number) => gateway('edge', [listener()], { generation: number })), weight: 1 },
  { arbitrary: names.map((name) => service(name, [80])), weight: 1 },
  { arbitrary: fc.constant(gatewayClass()), weight: 1 },
);

/** A Gateway whose ports are shared with ListenerSets, and routes that name either. */
const sharedListener = fc
  .record({
    name: fc.constantFrom('one', 'two', 'three'),
    port: fc.constantFrom(80, 443, 443),
    hostname: maybe(hostnames),
    protocol: fc.constantFrom('web', 'web', 'web', 'TCP'),
    secret: fc.record({ name: names, namespace: maybe(namespaces) }),
    from: fc.constantFrom('All', 'All', 'Same', 'Selector'),
  })
  .map(({ port, protocol, secret: ref, from, hostname, ...spec }) => ({
    ...spec,
    port,
    protocol: protocol === 'TCP' ? protocol : port === 80 ? 'HTTP' : 'HTTPS',
    ...(protocol !== 'TCP' && hostname !== undefined && { hostname }),
    ...(protocol !== 'TCP' && port === 443 && { tls: { certificateRefs: [ref] } }),
    allowedRoutes: allowedFrom(from),
  }));
const sharedListeners = fc.uniqueArray(sharedListener, { minLength: 1, maxLength: 3, selector: ({ name }) => name });
const allowedListeners = fc.constantFrom('All', 'All', 'All', 'Same', 'Selector', 'None').map(allowedFrom);
const setObjects: fc.Arbitrary<AnyObject> = fc.oneof(
  {
    arbitrary: fc
      .record({ ...identity, listeners: sharedListeners, parent: names })
      .map(({ name, listeners: specs, parent, ...meta }) =>
        // Most name the Gateway that there is.
        listenerSet(name, specs as never, {
          ...meta,
          parent: { name: parent === 'a' ? 'none' : 'edge', namespace: 'default' },
        }),
      ),
    weight: 6,
  },
  {
    arbitrary: fc
      .record({ generation, listeners: sharedListeners, allowedListeners, tls: maybe(gatewayTls) })
      .map(({ listeners: specs, ...meta }) => gateway('edge', specs as never, meta as never)),
    weight: 3,
  },
  {
    arbitrary: fc
      .record({
        ...identity,
        hosts: fc.array(hostnames, { maxLength: 2 }),
        parents: fc.array(
          fc.record({
            kind: fc.constantFrom('Gateway', 'ListenerSet', 'ListenerSet'),
            set: names,
            namespace: namespaces,
            sectionName: maybe(fc.constantFrom('one', 'two')),
          }),
          { minLength: 1, maxLength: 2 },
        ),
      })
      .map(({ name, parents, hosts, ...meta }) => {
        const refs = parents.map(({ kind, set, namespace: where, ...rest }) =>
          kind === 'Gateway'
            ? { ...rest, name: 'edge', namespace: 'default' }
            : { ...rest, kind, name: set, namespace: where },
        );
        const rules = [{ backendRefs: [{ name: 'a', namespace: 'default', port: 80 }] }];
        return httpRoute(name, { parentRefs: refs, hostnames: hosts, rules } as never, meta);
      }),
    weight: 8,
  },
  {
    arbitrary: goodSecretsAnywhere,
    weight: 2,
  },
  {
    arbitrary: fc
      .record({
        name: names,
        namespace: namespaces,
        from: fc.tuple(fc.constantFrom('Gateway', 'ListenerSet'), namespaces),
      })
      .map(({ name, namespace: where, from }) =>
        referenceGrant(name, { from, to: ['Secret'] } as never, { namespace: where }),
      ),
    weight: 1,
  },
  {
    arbitrary: teams,
    weight: 1,
  },
  {
    arbitrary: fc
      .record({
        ...identity,
        target: fc.constantFrom('Gateway edge', 'ListenerSet a', 'ListenerSet b'),
        sectionName: maybe(fc.constantFrom('one', 'two', 'none')),
        receiver: maybe(names),
        proxyProtocol: maybe(fc.constantFrom('Required', 'Optional')),
        http3: fc.boolean(),
        underscores: fc.constantFrom('Drop', 'Allow'),
      })
      .map(({ name, target, sectionName, receiver, proxyProtocol, http3, underscores, ...meta }) => {
        const [kind, of] = target.split(' ');
        const spec = {
          targetRefs: [{ group: 'gateway.networking.k8s.io', kind, name: of, ...(sectionName && { sectionName }) }],
          headers: { underscores },
          http3: { enabled: http3 },
          ...(proxyProtocol && { clientIP: { proxyProtocol } }),
          ...(receiver && { tracing: { otlp: { backendRef: { name: receiver, port: 80 } } } }),
        };
        return ownObject('ListenerPolicy', name, spec, meta);
      }),
    weight: 5,
  },
  {
    arbitrary: fc
      .record({ name: names, number: fc.constantFrom(80, 81) })
      .map(({ name, number }) => service(name, [{ port: number }] as never)),
    weight: 2,
  },
  { arbitrary: ourClass, weight: 1 },
);

/** Several Gateways of a class that shares its proxies, or does not, with all that they can take from each other. */
const fleetObjects: fc.Arbitrary<AnyObject> = fc.oneof(
  {
    arbitrary: fc
      .record({
        ...identity,
        listeners: sharedListeners,
        allowedListeners,
        tls: maybe(gatewayTls),
        infrastructure: maybe(fc.constant({ parametersRef: dataPlaneRef('pool') })),
      })
      .map(({ name, listeners: specs, ...meta }) => gateway(name, specs as never, meta as never)),
    weight: 6,
  },
  {
    arbitrary: fc.constantFrom(
      dataPlane('pool', { shared: {} }),
      dataPlane('pool', { shared: {}, accessLog: { enabled: true } }),
      dataPlane('pool', { shared: { namespace: 'edge' } }),
      dataPlane('pool'),
    ),
    weight: 1,
  },
  {
    arbitrary: fc.constantFrom(
      ...[1, 2, 3].map(() =>
        gatewayClass('gatewright', controllerName, { parametersRef: dataPlaneRef('pool', 'default') }),
      ),
      gatewayClass(),
      gatewayClass('gatewright', 'other.example/controller'),
    ),
    weight: 2,
  },
  {
    arbitrary: fc
      .record({
        ...identity,
        listeners: sharedListeners,
        parent: place,
      })
      .map(({ name, listeners: specs, ...meta }) => listenerSet(name, specs as never, meta)),
    weight: 2,
  },
  {
    arbitrary: fc
      .record({
        ...identity,
        hosts: fc.array(hostnames, { maxLength: 2 }),
        backend: names,
        parents: fc.array(
          fc.record({ name: names, namespace: namespaces, sectionName: maybe(fc.constantFrom('one', 'two')) }),
          { minLength: 1, maxLength: 2 },
        ),
      })
      .map(({ name, parents, hosts, backend, ...meta }) => {
        const rules = [{ backendRefs: [{ name: backend, namespace: 'default', port: 80 }] }];
        return httpRoute(name, { parentRefs: parents, hostnames: hosts, rules } as never, meta);
      }),
    weight: 8,
  },
  {
    arbitrary: fc
      .record({
        kind: fc.constantFrom('TCPRoute', 'TLSRoute'),
        name: names,
        generation,
        created,
        backend: names,
        parent: place,
      })
      .map(({ kind, name, backend, parent, ...meta }) => {
        const spec = { parentRefs: [parent], rules: [{ backendRefs: [{ name: backend, port: 80 }] }] };
        return l4Route(kind as 'TCPRoute', name, spec as never, meta) as AnyObject;
      }),
    weight: 2,
  },
  {
    arbitrary: fc
      .record({
        ...identity,
        target: names,
        bufferBytes: fc.constantFrom(4096, 8192),
      })
      .map(({ name, target, bufferBytes, ...meta }) => {
        const targetRefs = [{ group: 'gateway.networking.k8s.io', kind: 'Gateway', name: target }];
        return ownObject(
          'ListenerPolicy',
          name,
          { targetRefs, limits: { bufferBytes }, http3: { enabled: true, maxConcurrentStreams: bufferBytes } },
          meta,
        );
      }),
    weight: 2,
  },
  {
    arbitrary: goodSecretsAnywhere,
    weight: 2,
  },
  { arbitrary: names.map((name) => service(name, [80])), weight: 2 },
  {
    arbitrary: fc.record({ name: names, created }).map(({ name, ...meta }) =>
      backendTlsPolicy(
        name,
        {
          targetRefs: [{ group: '', kind: 'Service', name }],
          validation: { hostname: 'x.test', wellKnownCACertificates: 'System' },
        } as never,
        meta,
      ),
    ),
    weight: 1,
  },
  {
    arbitrary: namespaces.map((where) =>
      referenceGrant('all', { from: ['HTTPRoute', 'other'], to: ['Service'] } as never, { namespace: where }),
    ),
    weight: 1,
  },
);

type Step =
  | { readonly put: AnyObject }
  | { readonly remove: AnyObject }
  | { readonly build: true }
  /** Takes so many steps of a build, which begins if none is under way. Other steps come between. */
  | { readonly steps: number }
  /** What a copy has that is made now, everything has that is built next. */
  | { readonly copy: true }
  /** A proxy rejects something of what it has: which, by a share of the list. */
  | { readonly reject: number; readonly message: string };

const stepsOf = (made: fc.Arbitrary<AnyObject>): fc.Arbitrary<Step[]> =>
  fc.array(
    fc.oneof(
      { arbitrary: made.map((object): Step => ({ put: object })), weight: 12 },
      {
        // Whether proxies are shared is remembered while what says it is away, so that it has to stay for the comparison.
        arbitrary: made.map((object): Step => (object.metadata.name === 'pool' ? { put: object } : { remove: object })),
        weight: 4,
      },
      { arbitrary: fc.constant<Step>({ build: true }), weight: 4 },
      { arbitrary: fc.record({ steps: fc.integer({ min: 1, max: 25 }) }) as fc.Arbitrary<Step>, weight: 8 },
      { arbitrary: fc.constant<Step>({ copy: true }), weight: 1 },
      {
        arbitrary: fc.record({
          reject: fc.double({ min: 0, max: 1, maxExcluded: true, noNaN: true }),
          message: fc.constantFrom('not this', 'cannot bind: Address already in use'),
        }) as fc.Arbitrary<Step>,
        weight: 2,
      },
    ),
    { minLength: 10, maxLength: 120 },
  );

/**
 * Runs the steps through one graph, building now and then, at once or with other steps between, and holds the end against a graph that saw only the survivors,
 * and the rejections that still count; and against proxies that were sent nothing between the middle and the end.
 */
function incrementalEqualsCold(
  all: readonly Step[],
  shuffled: (objects: AnyObject[]) => AnyObject[],
  onOneMachine: boolean,
): void {
  const graph = newGraph(undefined, onOneMachine);
  const proxies = new ProxyResources();
  const statuses = new Map<string, unknown>();
  const survivors = new Map<string, AnyObject>();
  const late = new ProxyResources();
  let middle: Snapshot | undefined;
  let underWay:
    | { readonly building: Steps<BuildResult>; readonly seen: () => string; readonly before: string }
    | undefined;
  const advance = (steps: number) => {
    if (!underWay) {
      const seen = onlooker(graph, [...survivors.values()]);
      underWay = { building: graph.building(someTime), seen, before: seen() };
    }
    for (let taken = 0; taken < steps; taken++) {
      const step = underWay.building.next();
      if (step.done) {
        underWay = undefined;
        publish(step.value);
        return;
      }
    }
    same(underWay.before, underWay.seen(), 'what is seen before and in the midst of a build');
  };
  const build = () => {
    if (underWay) advance(Number.POSITIVE_INFINITY);
    advance(Number.POSITIVE_INFINITY);
  };
  const publish = ({ snapshot, changes, statuses: changed }: BuildResult) => {
    proxies.apply(snapshot, changes);
    if (!middle) late.apply(snapshot, changes);
    for (const { kind, key, status } of changed) statuses.set(`${kind} ${key}`, status);
  };
  put(graph, gatewayClass());
  survivors.set('GatewayClass gatewright', gatewayClass());
  for (const [index, step] of all.entries()) {
    if (index === all.length >> 1) middle = graph.snapshot();
    if ('build' in step) build();
    else if ('steps' in step) advance(step.steps);
    else if ('copy' in step) {
      const { id } = toEnd(graph.copy(someTime)).snapshot() ?? {};
      build();
      same(String(id), String(graph.snapshot()?.id), 'a copy and what it is a copy of');
    } else if ('reject' in step) {
      const held = proxies.origins();
      const rejected = held[Math.floor(step.reject * held.length)];
      if (rejected) graph.reject({ ...rejected, message: step.message });
    } else {
      const object = 'put' in step ? step.put : step.remove;
      const { kind, key } = keyed(object);
      if ('put' in step) {
        put(graph, object);
        survivors.set(`${kind} ${key}`, object);
      } else {
        graph.remove(kind, key);
        survivors.delete(`${kind} ${key}`);
      }
    }
  }
  build();
  const end = graph.snapshot() as Snapshot;
  if (middle) late.apply(end, changesBetween(middle, end));
  const cold = newGraph(undefined, onOneMachine);
  put(cold, ...shuffled([...survivors.values()]));
  for (const rejection of graph.rejections()) cold.reject(rejection);
  const result = cold.build(someTime);
  const coldStatuses = new Map(result.statuses.map(({ kind, key, status }) => [`${kind} ${key}`, status]));
  const coldProxies = new ProxyResources();
  coldProxies.apply(result.snapshot, allChanges(result.snapshot));
  same(describeWorld(graph, statuses), describeWorld(cold, coldStatuses), 'incremental and cold builds');
  same(proxies.describe(), coldProxies.describe(), "the proxies' resources after incremental and cold builds");
  same(late.describe(), coldProxies.describe(), 'the resources of proxies that were updated late, and of cold ones');
}

/** All that the graph reports to observers about these objects. */
function onlooker(graph: Graph, objects: readonly AnyObject[]): () => string {
  const sorted = (values: Iterable<unknown>) => [...values].map((value) => JSON.stringify(value)).sort();
  const all = objects.map(keyed);
  return () => {
    const backends = [...(graph.snapshot()?.backends.keys() ?? [])].sort();
    const gateways = all.flatMap(({ kind, key }) => (kind === 'Gateway' ? [key] : []));
    return [
      String(graph.snapshot()?.id),
      ...all.map(({ kind, key }) => `${kind} ${key} ${JSON.stringify(graph.statusOf(kind, key))}`),
      ...sorted(graph.listeners()),
      ...backends.map((backend) => `${backend} ${sorted(graph.routesOfBackend(backend))}`),
      ...gateways.map((key) => `${key} ${graph.fleetOf(key)} ${[...graph.gatewaysOf(graph.fleetOf(key))]}`),
    ].join('\n');
  };
}

function same(a: string, b: string, what: string): void {
  if (a !== b) throw new Error(`${what} differ:\n${firstDifference(a, b)}`);
}

function firstDifference(a: string, b: string): string {
  const one = a.split('\n');
  const other = b.split('\n');
  const index = one.findIndex((line, i) => line !== other[i]);
  return `one:   ${one[index]}\nother: ${other[index]}`;
}

const macro = test.macro((t, made: fc.Arbitrary<AnyObject>, numRuns: number, onOneMachine: boolean = false) => {
  fc.assert(
    fc.property(stepsOf(made), fc.infiniteStream(fc.double({ min: 0, max: 1, noNaN: true })), (all, random) => {
      const shuffled = (objects: AnyObject[]) =>
        objects
          .map((object) => ({ object, rank: random.next().value as number }))
          .sort((a, b) => a.rank - b.rank)
          .map(({ object }) => object);
      incrementalEqualsCold(all, shuffled, onOneMachine);
    }),
    { numRuns, includeErrorInReport: true },
  );
  t.pass();
});

test('any sequence of changes builds, byte for byte, what a cold start builds from what is left', macro, objects, 400);
test('the same for routes of connections that get in each other’s way', macro, streamObjects, 200);
test('the same for ListenerSets that share the ports of a Gateway', macro, setObjects, 300);
test('the same for kinds and fields of the experimental channel', macro, experimental, 200);
test('the same for services of models', macro, aiObjects, 300);
test('the same for Gateways that share their proxies, and stop sharing them', macro, fleetObjects, 400);
test('the same for Gateways whose proxies are on one machine', macro, fleetObjects, 200, true);
