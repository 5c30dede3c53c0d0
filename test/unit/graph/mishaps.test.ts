import test, { type ExecutionContext } from 'ava';
import { kindModules } from '../../../src/controllers/index.ts';
import type { Status } from '../../../src/gateway-api/index.ts';
import { Graph, type Mishap } from '../../../src/graph/index.ts';
import type { Fleet, Route, Snapshot } from '../../../src/ir/index.ts';
import { broken } from '../../support/broken.ts';
import {
  controllerName,
  dataPlane,
  dataPlaneRef,
  endpointSlice,
  gateway,
  gatewayClass,
  httpRoute,
  l4Route,
  listener,
  listenerSet,
  ownObject,
  service,
} from '../../support/objects.ts';
import { type AnyObject, describeWorld, keyed, put, someTime } from '../../support/world.ts';

const to = (name: string) => [{ name: 'one', backendRefs: [{ name, port: 80 }] }];
const target = (kind: string, name: string) => ({
  group: kind === 'Service' ? '' : 'gateway.networking.k8s.io',
  kind,
  name,
});
const backend = (name: string): AnyObject[] => [service(name), endpointSlice(name, ['10.0.0.1'])];

/** What has nothing to do with what is broken. */
const others: readonly AnyObject[] = [
  gatewayClass(),
  gateway('edge', [listener()], { allowedListeners: { namespaces: { from: 'All' } } }),
  gateway('well', [listener()]),
  ...backend('web'),
  ...backend('shop'),
  httpRoute('well', { hostnames: ['well.test'], rules: to('web') as never }),
];

function built(...objects: readonly AnyObject[]) {
  const mishaps: Mishap[] = [];
  const graph = new Graph({
    controllerName,
    kinds: kindModules,
    bind: (_gateway, port) => ({ address: '127.0.0.1', port }),
    onMishap: (mishap) => mishaps.push(mishap),
  });
  put(graph, ...objects);
  const statuses = new Map<string, Status | undefined>();
  const build = (): Snapshot => {
    const { snapshot, statuses: changed } = graph.build(someTime);
    for (const { kind, key, status } of changed) statuses.set(`${kind} ${key}`, status);
    return snapshot;
  };
  build();
  return { graph, mishaps, statuses, build };
}

const listOf = (graph: Graph) => [...graph.mishaps()].map(({ kind, key }) => `${kind} ${key}`).sort();

function routesOf(snapshot: Snapshot | undefined, host: string): readonly Route[] {
  const fleet = snapshot?.gateways.get('default/edge') as Fleet;
  for (const table of fleet.tables.values()) {
    const found = table.exact.get(host);
    if (found) return found.routes;
  }
  return [];
}

/** `Accepted False InternalError`, of each place of the status. */
function said(status: Status | undefined): string[] {
  const places =
    status === undefined
      ? []
      : 'parents' in status
        ? status.parents
        : 'ancestors' in status
          ? status.ancestors
          : [status];
  return places.flatMap(({ conditions }) =>
    conditions.flatMap(({ type, status: is, reason }) => (reason === 'InternalError' ? `${type} ${is}` : [])),
  );
}

interface Case {
  readonly objects: readonly AnyObject[];
  /** The same as they should be. */
  readonly whole: readonly AnyObject[];
  readonly blamed: readonly string[];
  readonly says?: Readonly<Record<string, readonly string[]>>;
  readonly served?: (t: ExecutionContext, graph: Graph) => void;
}

const shop = httpRoute('shop', {
  hostnames: ['shop.test'],
  rules: [
    {
      name: 'one',
      matches: [{ path: { value: '/one' } }],
      timeouts: { request: '5s' },
      backendRefs: [{ name: 'shop', port: 80 }],
    },
    { name: 'two', matches: [{ path: { value: '/two' } }], backendRefs: [{ name: 'shop', port: 80 }] },
  ] as never,
});
const tuning = ownObject('BackendPolicy', 'shop', {
  targetRefs: [target('Service', 'shop')],
  timeouts: { connect: '3s' },
});
const access = ownObject('AccessPolicy', 'shop', {
  targetRefs: [{ ...target('HTTPRoute', 'shop'), sectionName: 'one' }],
  clientIPs: { deny: ['192.0.2.0/24'] },
});
const set = (name: string, namespace: string) =>
  listenerSet(name, [{ name: 's', port: 81, hostname: `${name}.test` }], {
    namespace,
    parent: { name: 'edge', namespace: 'default' },
  });
const l4 = [
  gateway('edge', [listener(), listener({ name: 'tcp', port: 9000, protocol: 'TCP' })]),
  l4Route('TCPRoute', 'db', { rules: to('shop') as never }),
];

const actionsOf = (graph: Graph, host: string) =>
  routesOf(graph.snapshot(), host).map(
    ({ match, rule }) => `${match.path.kind === 'prefix' ? match.path.value : ''} ${rule.action.kind}`,
  );

const placeOf = (object: AnyObject) => `${keyed(object).kind} ${keyed(object).key}`;
const without = (all: readonly AnyObject[], some: readonly AnyObject[]) =>
  all.filter((object) => !some.some((one) => placeOf(one) === placeOf(object)));

const cases: Readonly<Record<string, Case>> = {
  'a rule of a route is closed, and the others serve': {
    objects: [broken(shop, ['spec', 'rules', 0, 'timeouts'], 'resolveRule')],
    whole: [shop],
    blamed: ['HTTPRoute default/shop'],
    says: { 'HTTPRoute default/shop': ['PartiallyInvalid True'] },
    served: (t, graph) => t.deepEqual(actionsOf(graph, 'shop.test').sort(), ['/one respond', '/two forward']),
  },
  'a route is not accepted': {
    objects: [broken(shop, ['spec', 'hostnames'], 'contributionsOf')],
    whole: [shop],
    blamed: ['HTTPRoute default/shop'],
    says: { 'HTTPRoute default/shop': ['Accepted False'] },
    served: (t, graph) => t.deepEqual(actionsOf(graph, 'shop.test'), []),
  },
  'a route of connections is not accepted': {
    objects: [l4[0] as AnyObject, broken(l4[1] as AnyObject, ['spec', 'rules'], 'resolveShares')],
    whole: l4,
    blamed: ['TCPRoute default/db'],
    says: { 'TCPRoute default/db': ['Accepted False'] },
  },
  'the status of a route stays away': {
    objects: [broken(shop, ['spec', 'rules', 1, 'name'], 'withNotes')],
    whole: [shop],
    blamed: ['HTTPRoute default/shop'],
    served: (t, graph) => t.is(actionsOf(graph, 'shop.test').length, 2),
  },
  'a policy of a route closes its rules': {
    objects: [shop, broken(access, ['spec', 'clientIPs'], 'settingOf')],
    whole: [shop, access],
    blamed: ['AccessPolicy default/shop'],
    says: { 'AccessPolicy default/shop': ['Accepted False'] },
    served: (t, graph) => t.deepEqual(actionsOf(graph, 'shop.test').sort(), ['/one respond', '/two forward']),
  },
  'a policy of a backend leaves it without endpoints': {
    objects: [shop, broken(tuning, ['spec', 'timeouts'], 'settingOf')],
    whole: [shop, tuning],
    blamed: ['BackendPolicy default/shop'],
    says: { 'BackendPolicy default/shop': ['Accepted False'] },
    served: (t, graph) => t.is(graph.snapshot()?.endpoints.get('default/shop/80')?.endpoints.length, 0),
  },
  'the status of a policy says it, and its settings act': {
    objects: [shop, broken(tuning, ['metadata', 'generation'], 'backendPolicyConditions')],
    whole: [shop, tuning],
    blamed: ['BackendPolicy default/shop'],
    served: (t, graph) => t.is(graph.snapshot()?.endpoints.get('default/shop/80')?.endpoints.length, 1),
  },
  'a Service is a backend that is not there': {
    objects: [shop, broken(service('shop'), ['spec', 'ports'], 'contentOf')],
    whole: [shop, service('shop')],
    blamed: ['Service default/shop'],
  },
  'a Gateway is not accepted, and keeps its proxies': {
    objects: [broken(gateway('other', [listener()]), ['spec', 'listeners', 0, 'hostname'], 'resolveGateway')],
    whole: [gateway('other', [listener()])],
    blamed: ['Gateway default/other'],
    says: { 'Gateway default/other': ['Accepted False'] },
    served: (t, graph) =>
      t.deepEqual([...(graph.snapshot()?.gateways.get('default/other')?.listeners.keys() ?? ['gone'])], []),
  },
  'a ListenerSet of another namespace costs its Gateway and the others nothing': {
    objects: [
      ...['a', 'b', 'c'].map((name) => set(name, name)),
      broken(set('bad', 'd'), ['spec', 'listeners', 0, 'hostname'], 'resolveGateway'),
    ],
    whole: ['a', 'b', 'c'].map((name) => set(name, name)).concat(set('bad', 'd')),
    blamed: ['ListenerSet d/bad'],
    says: {
      'ListenerSet d/bad': ['Accepted False', 'Programmed False'],
      'ListenerSet a/a': [],
      'Gateway default/edge': [],
    },
  },
  'an object that cannot be taken in is reported': {
    objects: [broken(shop, ['spec', 'parentRefs'], 'upsert')],
    whole: [shop],
    blamed: ['HTTPRoute default/shop'],
  },
};

for (const [title, { objects, whole, blamed, says = {}, served }] of Object.entries(cases))
  test(`an exception costs one object: ${title}`, (t) => {
    const { graph, mishaps, statuses, build } = built(...without(others, objects), ...objects);
    t.deepEqual(listOf(graph), blamed);
    t.deepEqual([...new Set(mishaps.map(({ kind, key }) => `${kind} ${key}`))], blamed);
    for (const [place, conditions] of Object.entries(says)) t.deepEqual(said(statuses.get(place)), conditions, place);
    served?.(t, graph);
    t.deepEqual(actionsOf(graph, 'well.test'), ['/ forward']);
    t.notRegex(JSON.stringify([...statuses]), /no \w+"/, 'what the exception says is in the log alone');

    // Others change meanwhile.
    put(graph, httpRoute('late', { hostnames: ['late.test'], rules: to('web') as never }));
    build();
    t.deepEqual(actionsOf(graph, 'late.test'), ['/ forward']);
    t.deepEqual(listOf(graph), blamed);

    // The objects of the case in another order, and from the start.
    const cold = built(
      ...[...objects].reverse(),
      httpRoute('late', { hostnames: ['late.test'], rules: to('web') as never }),
      ...[...without(others, objects)].reverse(),
    );
    const last = (of: typeof cold) => describeWorld(of.graph, of.statuses);
    t.is(last({ graph, mishaps, statuses, build }), last(cold));

    for (const object of whole) {
      const { kind, key } = keyed(object);
      graph.remove(kind, key);
      put(graph, object);
    }
    build();
    t.deepEqual(listOf(graph), []);
    const healed = built(
      ...without(others, whole),
      ...whole,
      httpRoute('late', { hostnames: ['late.test'], rules: to('web') as never }),
    );
    t.is(last({ graph, mishaps, statuses, build }), last(healed));
  });

test('Gateways that share proxies do not pay for one that breaks what they share', (t) => {
  const shared = (name: string, port: number) => gateway(name, [listener({ port })]);
  const bad = broken(shared('bad', 82), ['spec', 'listeners', 0, 'protocol'], 'amongOthers');
  const objects = [
    gatewayClass('gatewright', controllerName, { parametersRef: dataPlaneRef('all', 'default') as never }),
    dataPlane('all', { shared: {} } as never),
    ...[81, 83, 84].map((port) => shared(`good-${port}`, port)),
  ];
  const { graph, statuses } = built(...objects, bad);
  if (listOf(graph).length === 0) return t.fail('nothing was broken');
  t.deepEqual(listOf(graph), ['Gateway default/bad']);
  t.deepEqual(said(statuses.get('Gateway default/bad')), ['Accepted False']);
  t.deepEqual(said(statuses.get('Gateway default/good-81')), []);
  const [fleet] = [...(graph.snapshot()?.gateways.values() ?? [])];
  t.is(fleet?.listeners.size, 3);
});

test('what goes wrong in a trial is no mishap of what runs', async (t) => {
  const { graph, mishaps } = built(...others);
  const steps = graph.copy(someTime);
  let step = steps.next();
  while (!step.done) step = steps.next();
  put(step.value as Graph, broken(shop, ['spec', 'rules', 0, 'timeouts'], 'resolveRule'));
  step.value.build(someTime);
  t.is([...step.value.mishaps()].length, 1);
  t.deepEqual(mishaps, []);
  t.deepEqual(listOf(graph), []);
});
