import test from 'ava';
import { kindModules } from '../../../src/controllers/index.ts';
import {
  markRouteTargets,
  markTargetsOf,
  routePolicyOf,
  routeTargetKey,
  routeTargets,
  rulePoliciesOf,
} from '../../../src/controllers/policies/index.ts';
import { objectKey, type PolicyStatus } from '../../../src/gateway-api/index.ts';
import type { KindModule, KindModules, RuleSetting } from '../../../src/graph/engine/index.ts';
import { Graph } from '../../../src/graph/index.ts';
import { conditionOf, routeKey } from '../../../src/graph/model/index.ts';
import type * as ir from '../../../src/ir/index.ts';
import {
  controllerName,
  endpointSlice,
  gateway,
  gatewayClass,
  grpcRoute,
  httpRoute,
  listenerSet,
  ownObject,
  service,
} from '../../support/objects.ts';
import { put, someTime } from '../../support/world.ts';

// A kind that says how long requests may take, declared as a policy of routes is: it stands where BackendPolicy does.
const kind = 'BackendPolicy';

interface Spec {
  readonly targetRefs: readonly object[];
  /** Zero: requests may pass under no condition. */
  readonly seconds?: number;
  readonly secret?: string;
}

const specOf = (policy: unknown): Spec => (policy as { readonly spec: Spec }).spec;

const targets = routeTargets(kind);

const secretEdge: KindModule<typeof kind>['edges'][string] = {
  to: { Secret: (key) => key },
  targets: (policy) => [objectKey(policy.metadata.namespace, specOf(policy).secret ?? 'none')],
  marks: (source, marking) => markTargetsOf(marking.store.find(kind, source), marking),
};

const settingOf = (policies: readonly unknown[], isThere: (secret: string) => boolean): RuleSetting | undefined => {
  const last = policies.at(-1);
  if (last === undefined) return undefined;
  const { seconds, secret } = specOf(last);
  if (seconds === 0 || (secret !== undefined && !isThere(secret))) return { isClosed: true };
  return { fields: { requestTimeoutMs: (seconds ?? 1) * 1000 } };
};

/** A graph with that kind, and what it asked about since the last look. */
function world(more: Partial<KindModules> = {}) {
  const asked = new Set<string>();
  const module: KindModule<typeof kind> = {
    about: { category: 'policy', description: 'Time that requests may take', writable: false, inTrials: 'none' },
    relevant: 'spec',
    edges: { target: targets.edge, secret: secretEdge },
    marks: (change, marking) => markRouteTargets(targets, change, marking),
    routes: {
      edge: targets.edge,
      settingOf(owner, _rule, lookup) {
        asked.add(owner.route);
        const isThere = (secret: string) => lookup.store.find('Secret', `default/${secret}`) !== undefined;
        return settingOf(rulePoliciesOf(targets, owner, lookup), isThere);
      },
    },
    status: {
      shape: 'ancestors',
      of(policy, key, { edges, store, routes }) {
        const index = edges.of(targets.edge);
        const gateways = index
          .targetsOf(key)
          .flatMap((target) => (target.startsWith('Gateway ') ? target.slice(8) : routes.gatewaysOf(target)));
        const isFirst = index
          .targetsOf(key)
          .every((target) => routePolicyOf(targets, target, undefined, { edges, store }) === policy);
        const fault = isFirst ? undefined : { reason: 'Conflicted' as const, message: 'another policy is older' };
        return new Map(gateways.map((name) => [name, [conditionOf('Accepted', 1, fault)]]));
      },
    },
  };
  const kinds = { ...kindModules, [kind]: module, ...more };
  const graph = new Graph({ controllerName, kinds, bind: (_gateway, port) => ({ address: '127.0.0.1', port }) });
  put(
    graph,
    gatewayClass(),
    gateway('edge', [{ name: 'http' }], { allowedListeners: { namespaces: { from: 'All' } } }),
    listenerSet('more', [{ name: 'extra', port: 81 }]),
    service('web'),
    endpointSlice('web', ['10.0.0.1']),
    ...['a', 'b', 'c'].map((name) => httpRoute(name, { hostnames: [`${name}.test`] })),
  );
  graph.build(someTime);
  asked.clear();
  /** The routes that were resolved by the next build. */
  const resolved = (): string[] => {
    graph.build(someTime);
    const routes = [...asked].sort();
    asked.clear();
    return routes;
  };
  const rulesOf = (host: string): readonly ir.RouteRule[] => {
    const tables = [...(graph.snapshot()?.gateways.values() ?? [])].flatMap((fleet) => [...fleet.tables.values()]);
    const routes = tables.flatMap((table) => table.exact.get(host)?.routes ?? []);
    return routes.map(({ rule }) => rule);
  };
  const ancestorsOf = (name: string) =>
    ((graph.statusOf(kind, `default/${name}`) as PolicyStatus | undefined)?.ancestors ?? []).map(
      ({ ancestorRef, conditions }) => `${ancestorRef.name} ${conditions[0]?.reason}`,
    );
  return { graph, resolved, rulesOf, ancestorsOf };
}

const ref = (target: string, name: string, sectionName?: string) => ({
  group: 'gateway.networking.k8s.io',
  kind: target,
  name,
  ...(sectionName !== undefined && { sectionName }),
});

const policy = (name: string, refs: readonly object[], spec: Omit<Spec, 'targetRefs'> = {}, created = '2026-01-01') =>
  ownObject(kind, name, { targetRefs: refs, ...spec } as never, { created: `${created}T00:00:00Z` });

const routeNamed = (name: string) => routeKey('HTTPRoute', `default/${name}`);
const timesOf = (rules: readonly ir.RouteRule[]) => rules.map(({ requestTimeoutMs }) => requestTimeoutMs);

test('a policy of a route acts on that route and marks no other; once gone it leaves no trace', (t) => {
  const { graph, resolved, rulesOf, ancestorsOf } = world();
  const without = graph.snapshot()?.id;
  put(graph, policy('p', [ref('HTTPRoute', 'a')], { seconds: 2 }));
  t.deepEqual(resolved(), [routeNamed('a')]);
  t.deepEqual(timesOf(rulesOf('a.test')), [2000]);
  t.deepEqual(timesOf(rulesOf('b.test')), [undefined]);
  t.deepEqual(ancestorsOf('p'), ['edge Accepted']);

  put(graph, policy('p', [ref('HTTPRoute', 'b')], { seconds: 2 }));
  t.deepEqual(resolved(), [routeNamed('a'), routeNamed('b')], 'what it was for, and what it is for');
  t.deepEqual(timesOf([...rulesOf('a.test'), ...rulesOf('b.test')]), [undefined, 2000]);

  graph.remove(kind, 'default/p');
  t.deepEqual(resolved(), [routeNamed('b')]);
  t.is(graph.snapshot()?.id, without);
});

for (const [what, target] of Object.entries({
  'a Gateway': ref('Gateway', 'edge'),
  'a listener': ref('Gateway', 'edge', 'http'),
  'a ListenerSet': ref('ListenerSet', 'more'),
  'a listener of a ListenerSet': ref('ListenerSet', 'more', 'extra'),
})) {
  test(`a policy of ${what} marks no route, come, changed or gone`, (t) => {
    const { graph, resolved } = world();
    const marked = (): string[] => {
      t.true(graph.isDirty, 'the Gateway and the status are looked at');
      return resolved();
    };
    put(graph, policy('p', [target]));
    t.deepEqual(marked(), []);
    put(graph, policy('p', [target], { seconds: 3 }));
    t.deepEqual(marked(), []);
    graph.remove(kind, 'default/p');
    t.deepEqual(marked(), []);
  });
}

test('a policy of a rule acts on the rule of that name, over what the route has', (t) => {
  const { graph, rulesOf, resolved } = world();
  const backendRefs = [{ name: 'web', port: 80 }];
  const rules = [
    { name: 'slow', backendRefs, matches: [{ path: { type: 'PathPrefix', value: '/slow' } }] },
    { name: 'other', backendRefs },
    { backendRefs, matches: [{ path: { type: 'PathPrefix', value: '/none' } }] },
  ];
  put(graph, httpRoute('a', { hostnames: ['a.test'], rules } as never));
  put(graph, policy('whole', [ref('HTTPRoute', 'a')], { seconds: 1 }));
  put(graph, policy('one', [ref('HTTPRoute', 'a', 'slow')], { seconds: 9 }));
  t.deepEqual(resolved(), [routeNamed('a')]);
  t.deepEqual(timesOf(rulesOf('a.test')).sort(), [1000, 1000, 9000]);
});

test('what a policy demands and cannot have is an error, in the form of its route, and not open', (t) => {
  const { graph, rulesOf, resolved } = world();
  put(graph, grpcRoute('g', { hostnames: ['g.test'] }));
  resolved();
  t.is(graph.snapshot()?.backends.size, 2);
  put(graph, policy('p', [ref('HTTPRoute', 'a'), ref('GRPCRoute', 'g')], { seconds: 0 }));
  resolved();
  t.deepEqual(
    [...rulesOf('a.test'), ...rulesOf('g.test')],
    [{ action: { kind: 'respond', status: 500 } }, { action: { kind: 'respond', status: 503 } }],
  );
  t.is(graph.snapshot()?.backends.size, 1, 'nothing speaks HTTP/2 to the backend, as only the closed route did');
});

test('what a policy refers to is looked at again for its targets alone', (t) => {
  const { graph, rulesOf, resolved } = world();
  put(graph, policy('p', [ref('HTTPRoute', 'a')], { seconds: 2, secret: 'key' }));
  resolved();
  t.deepEqual(rulesOf('a.test'), [{ action: { kind: 'respond', status: 500 } }]);
  const secret = { apiVersion: 'v1', kind: 'Secret', metadata: { name: 'key', namespace: 'default' }, data: {} };
  put(graph, secret as never);
  t.deepEqual(resolved(), [routeNamed('a')]);
  t.deepEqual(timesOf(rulesOf('a.test')), [2000]);
});

test('of two policies of one route the older acts, and the other says so until it is gone', (t) => {
  const { graph, rulesOf, resolved, ancestorsOf } = world();
  put(graph, policy('younger', [ref('HTTPRoute', 'a')], { seconds: 5 }, '2026-02-01'));
  resolved();
  t.deepEqual(ancestorsOf('younger'), ['edge Accepted']);
  put(graph, policy('older', [ref('HTTPRoute', 'a')], { seconds: 7 }));
  resolved();
  t.deepEqual(timesOf(rulesOf('a.test')), [7000]);
  t.deepEqual([ancestorsOf('older'), ancestorsOf('younger')], [['edge Accepted'], ['edge Conflicted']]);
  graph.remove(kind, 'default/older');
  resolved();
  t.deepEqual(timesOf(rulesOf('a.test')), [5000]);
  t.deepEqual(ancestorsOf('younger'), ['edge Accepted']);
});

test('the status of a policy follows its route to other Gateways, and to none', (t) => {
  const { graph, resolved, ancestorsOf } = world();
  put(graph, gateway('second'), policy('p', [ref('HTTPRoute', 'a')]));
  resolved();
  put(graph, httpRoute('a', { hostnames: ['a.test'], parentRefs: [{ name: 'edge' }, { name: 'second' }] }));
  resolved();
  t.deepEqual(ancestorsOf('p'), ['edge Accepted', 'second Accepted']);
  graph.remove('Gateway', 'default/edge');
  resolved();
  t.deepEqual(ancestorsOf('p'), ['second Accepted']);
  graph.remove('HTTPRoute', 'default/a');
  resolved();
  t.deepEqual(ancestorsOf('p'), []);
});

test('kinds act in the order of the registry, and each sees what those before it made', (t) => {
  const seen: unknown[] = [];
  const routes: KindModule<'TokenPolicy'>['routes'] = {
    edge: targets.edge,
    settingOf({ route }, { requestTimeoutMs = 0 }) {
      if (route !== routeNamed('a')) return undefined;
      seen.push(requestTimeoutMs);
      return { fields: { requestTimeoutMs: requestTimeoutMs + 1 } };
    },
  };
  const { graph, resolved, rulesOf } = world({ TokenPolicy: { ...kindModules.TokenPolicy, routes } });
  put(graph, policy('p', [ref('HTTPRoute', 'a')], { seconds: 2 }));
  resolved();
  t.deepEqual(seen, [0, 2000]);
  t.deepEqual(timesOf(rulesOf('a.test')), [2001]);
});

test('a target is known by its kind: a route and a Gateway of one name are two', (t) => {
  t.is(routeTargetKey('HTTPRoute', 'default/a'), routeNamed('a'));
  t.is(new Set((['Gateway', 'ListenerSet', 'GRPCRoute'] as const).map((each) => routeTargetKey(each, 'x/a'))).size, 3);
});
