/** Each key that is made is read back as what it was made of: names as Kubernetes allows them, alike ones among them. */
import test from 'ava';
import fc from 'fast-check';
import { budgetKey, parseBudgetKey } from '../../../src/addons/ai/budgets/budget-key.ts';
import { parseClusterName } from '../../../src/contracts/index.ts';
import { listenerOwnerKey, parseListenerOwnerKey } from '../../../src/controllers/listenerpolicy/edges.ts';
import {
  isRouteKind,
  type KindName,
  kinds,
  namespaceOfKey,
  objectKey,
  parseObjectKey,
  type RouteKindName,
} from '../../../src/gateway-api/index.ts';
import {
  attachmentKey,
  backendOwner,
  parseAttachmentKey,
  parseBackendOwner,
  parseRouteKey,
  routeKey,
  routeKeyOfSource,
  routeReference,
  routeSource,
} from '../../../src/graph/model/index.ts';
import * as ir from '../../../src/ir/index.ts';

/** Words of the keys themselves are names too. */
const label = fc.oneof(
  fc.stringMatching(/^[a-z0-9]([a-z0-9-]{0,8}[a-z0-9])?$/),
  fc.constantFrom(
    'rule',
    'match',
    'pods',
    'external',
    'ai',
    'ai-route',
    'udp',
    'h2',
    'plain',
    'tcp',
    'as',
    'class',
    '80',
  ),
);
const name = fc.oneof(
  label,
  fc.tuple(label, label).map((parts) => parts.join('.')),
);
const object = fc.record({ namespace: label, name });
const kind = fc.constantFrom(...(Object.keys(kinds) as KindName[]));
const routeKind = fc.constantFrom(
  ...(Object.keys(kinds) as KindName[]).filter(isRouteKind),
) as fc.Arbitrary<RouteKindName>;
const port = fc.integer({ min: 1, max: 65_535 });

const holds = <T>(arbitrary: fc.Arbitrary<T>, check: (value: T) => void): void =>
  fc.assert(
    fc.property(arbitrary, (value) => {
      check(value);
    }),
    { numRuns: 300 },
  );

test('an object key gives its namespace and name, and that of a cluster-scoped object an empty namespace', (t) => {
  holds(object, ({ namespace, name }) => {
    const key = objectKey(namespace, name);
    t.deepEqual(parseObjectKey(key), { namespace, name });
    t.is(namespaceOfKey(key), namespace);
    t.deepEqual(parseObjectKey(objectKey(undefined, name)), { namespace: '', name });
    t.is(namespaceOfKey(objectKey('', name)), '');
  });
});

test('a route key gives its kind and object, and the source of a route leads to its key', (t) => {
  holds(fc.tuple(routeKind, object), ([kind, route]) => {
    const key = routeKey(kind, objectKey(route.namespace, route.name));
    t.deepEqual(parseRouteKey(key), { kind, key: objectKey(route.namespace, route.name) });
    t.deepEqual(routeReference(key), { kind, ...route });
    t.is(routeKeyOfSource(routeSource({ kind, metadata: route } as never)), key);
  });
});

test('an attachment key gives its Gateway, and its ListenerSet where the listener is of one', (t) => {
  holds(fc.tuple(object, object, label), ([gateway, set, listener]) => {
    const gatewayKey = objectKey(gateway.namespace, gateway.name);
    const listenerSet = objectKey(set.namespace, set.name);
    t.deepEqual(parseAttachmentKey(attachmentKey(gatewayKey, listener)), { gateway: gatewayKey });
    t.deepEqual(parseAttachmentKey(attachmentKey(gatewayKey, `${listenerSet}/${listener}`)), {
      gateway: gatewayKey,
      listenerSet,
    });
  });
});

test('the owner of backends and of listeners is read back with its kind', (t) => {
  holds(fc.tuple(kind, object), ([kind, owner]) => {
    const key = objectKey(owner.namespace, owner.name);
    t.deepEqual(parseBackendOwner(backendOwner(kind, key)), { kind, key });
    if (kind === 'Gateway' || kind === 'ListenerSet')
      t.deepEqual(parseListenerOwnerKey(listenerOwnerKey(kind, key)), { kind, key });
  });
});

test('the owner of backends that a reference names by any text is read back too', (t) => {
  const named = fc.record({
    namespace: label,
    name: fc.string({ unit: fc.constantFrom(' ', '/', 'a', '\r', '\u0000') }),
  });
  holds(fc.tuple(kind, named), ([kind, { namespace, name }]) => {
    const key = objectKey(namespace, name);
    t.deepEqual(parseBackendOwner(backendOwner(kind, key)), { kind, key });
  });
});

const backend = fc.record(
  {
    namespace: label,
    service: name,
    port,
    transport: fc.constantFrom('TCP' as const, 'UDP' as const),
    source: fc.constantFrom('pods' as const, 'external' as const, 'ai' as const, 'ai-route' as const),
    http2: fc.constant(true as const),
    stream: fc.constantFrom('plain' as const, 'tcp' as const),
    asked: fc
      .record(
        {
          method: fc.constantFrom('GET' as const, 'HEAD' as const, 'POST' as const),
          successful: fc.constant(true as const),
          ownHost: fc.constant(true as const),
        },
        { requiredKeys: [] },
      )
      .filter((asked) => Object.keys(asked).length > 0),
    clientCertificate: object.map((secret) => objectKey(secret.namespace, secret.name) as string),
  },
  { requiredKeys: ['namespace', 'service', 'port', 'transport'] },
);

test('a backend key gives all parts of its variant, and its cluster the first three', (t) => {
  holds(backend, ({ namespace, service, port, ...variant }) => {
    const key = ir.backendKey(namespace, service, port, variant);
    t.deepEqual(ir.parseBackendKey(key), { namespace, service, port, ...variant });
    t.deepEqual(parseClusterName(key), { namespace, service, port: String(port) });
  });
});

test('a fleet is a Gateway or the shared one of a class, and never taken for the other', (t) => {
  holds(object, ({ namespace, name }) => {
    const own = ir.ownFleetKey(objectKey(namespace, name));
    t.deepEqual(ir.parseFleetKey(own), { namespace, name });
    t.is(ir.sharedFleetOf(own), undefined);
    t.deepEqual(ir.sharedFleetOf(ir.sharedFleetKey(namespace, name)), { namespace, gatewayClass: name });
  });
});

test('the id of a route gives its object, rule and match', (t) => {
  holds(fc.tuple(routeKind, object, fc.nat(), fc.nat()), ([kind, route, rule, match]) => {
    const source = routeSource({ kind, metadata: route } as never);
    const id = ir.routeId(source, rule, match);
    t.deepEqual(ir.parseRouteId(id), { kind: kind.toLowerCase(), ...route, rule, match });
    t.is(ir.sourceOfRoute(id), source);
    t.is(ir.namespaceOfSource(source), route.namespace);
  });
});

test('the key of a budget gives its policy, and what it counts by with all its spaces and slashes', (t) => {
  holds(fc.tuple(object, fc.string()), ([policy, key]) => {
    const owner = objectKey(policy.namespace, policy.name);
    t.deepEqual(parseBudgetKey(budgetKey(owner, key)), { policy: owner, key });
  });
});
