import fc from 'fast-check';
import {
  gateway,
  gatewayClass,
  grpcRoute,
  httpRoute,
  listenerSet,
  ownObject,
  service,
} from '../../../support/objects.ts';
import type { AnyObject } from '../../../support/world.ts';
import { created, generation, hostnames, identity, maybe } from './parts/names.ts';
import { shares } from './shares.ts';

/** Names of which most meet: which policy holds takes several of one target. */
const two = fc.constantFrom('a', 'b');
const near = { name: two, generation, created };

const target = fc.oneof(
  fc.record({
    kind: fc.constantFrom('Gateway', 'Gateway', 'ListenerSet'),
    name: two,
    sectionName: maybe(fc.constantFrom('http', 'tls', 'none')),
  }),
  fc.record({
    kind: fc.constantFrom('HTTPRoute', 'HTTPRoute', 'GRPCRoute'),
    name: two,
    sectionName: maybe(fc.constantFrom('first', 'none')),
  }),
);
const groups = fc.record(
  {
    mode: fc.constantFrom('Default', 'Override'),
    disabled: fc.subarray(
      ['retry', 'timeouts', 'hash', 'accessLog', 'upgrades', 'requestBody', 'faults', 'admission', 'grpcWeb'],
      {
        minLength: 1,
      },
    ),
    retry: fc.constantFrom({ attempts: 0 }, { codes: [503], perTry: '1s' }, { events: ['GRPCUnavailable'] }),
    timeouts: fc.constantFrom({ request: '1s' }, { streamIdle: '0s', maxStreamDuration: '1h' }),
    hash: fc.constantFrom([{ type: 'Path' }], [{ type: 'Header', name: 'x-user' }, { type: 'SourceIP' }]),
    tracing: fc.constantFrom({ samplingPercent: 1 }, { samplingPercent: 0, tags: [{ name: 'a', value: 'b' }] }),
    accessLog: fc.constantFrom({ enabled: false }, { enabled: true, minStatus: 500 }),
    upgrades: fc.constantFrom({ connect: {} }, { protocols: [] }, { protocols: ['spdy/3.1'], connect: {} }),
    requestBody: fc.constantFrom({ maxBytes: '1k' }, { maxBytes: '10Mi' }),
    compression: fc.constantFrom({}, { algorithms: ['Gzip'], minBytes: 30 }),
    errorPages: fc.constantFrom(
      [{ codes: [404], body: { contentType: 'text/html', inline: 'gone' } }],
      [{ classes: ['5xx'], body: { contentType: 'text/html', configMapRef: { name: 'a' } } }],
      [{ classes: ['5xx'], service: { backendRef: { name: 'a', port: 80 } } }],
    ),
    buffering: fc.constantFrom({ request: { maxBytes: '1k' } }, { request: { maxBytes: '1Mi' } }),
    responseLocation: fc.constant([{ from: 'http://a/', to: '/' }]),
    responseCookies: fc.constant({ secure: true, path: [{ from: '/a', to: '/' }] }),
    grpcWeb: fc.constant({}),
    admission: fc.constantFrom({}, { successRate: 50 }),
    bandwidth: fc.constantFrom({ perRequest: { response: '1Mi' } }, { total: { request: '1Mi', response: '2Mi' } }),
    faults: fc.constantFrom(
      { abort: { status: 503, percent: 1 } },
      { abort: { grpcStatus: 14, percent: 1 } },
      { delay: { duration: '1s', percent: 5 } },
    ),
  },
  { requiredKeys: [] },
);
const policies = fc
  .record({
    ...identity,
    namespace: fc.constant('default'),
    targets: fc.array(target, { minLength: 1, maxLength: 2 }),
    groups,
  })
  .map(({ name, targets, groups: said, ...meta }) => {
    const targetRefs = targets.map((ref) => ({ group: 'gateway.networking.k8s.io', ...ref }));
    return ownObject('TrafficPolicy', name, { targetRefs, ...said }, meta);
  });
const routes = (make: typeof httpRoute | typeof grpcRoute) =>
  fc
    .record({
      ...near,
      parents: fc.array(fc.record({ name: two }), { minLength: 1, maxLength: 2 }),
      host: hostnames,
      hasTunnel: fc.boolean(),
    })
    .map(({ name, parents, host, hasTunnel, ...meta }) => {
      const tunnel = hasTunnel && make === httpRoute ? { matches: [{ method: 'CONNECT' }] } : {};
      const rules = [
        { name: 'first', ...tunnel, backendRefs: [{ name: 'a', port: 80 }] },
        { backendRefs: [{ name: 'b', port: 80 }] },
      ];
      return make(name, { parentRefs: parents, hostnames: [host], rules } as never, meta);
    });
const made: fc.Arbitrary<AnyObject> = fc.oneof(
  { arbitrary: policies, weight: 8 },
  {
    arbitrary: fc
      .record(near)
      .map(({ name, ...meta }) =>
        gateway(name, [{}] as never, { ...meta, allowedListeners: { namespaces: { from: 'Same' } } }),
      ),
    weight: 3,
  },
  {
    arbitrary: fc
      .record({ ...near, parent: two, hostname: hostnames })
      .map(({ name, parent, hostname, ...meta }) =>
        listenerSet(name, [{ name: 'http', hostname }] as never, { ...meta, parent: { name: parent } }),
      ),
    weight: 2,
  },
  { arbitrary: routes(httpRoute), weight: 5 },
  { arbitrary: routes(grpcRoute), weight: 2 },
  { arbitrary: two.map((name) => service(name, [80])), weight: 2 },
  { arbitrary: fc.constant(gatewayClass()), weight: 1 },
);

/** Policies meet what they are for in a world of their own. */
export const objects = shares({ traffic: { arbitrary: made, weight: 1 } });
