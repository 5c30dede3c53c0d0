import test from 'ava';
import { kindModules } from '../../../../src/controllers/index.ts';
import { Edges } from '../../../../src/graph/engine/edges.ts';
import { Store } from '../../../../src/graph/engine/store.ts';
import { affectedRoutes } from '../../../../src/graph/fleets/affected-routes.ts';
import { resolveFleet } from '../../../../src/graph/fleets/fleet.ts';
import { Attachments } from '../../../../src/graph/gateways/attachments.ts';
import { resolveGateway } from '../../../../src/graph/gateways/gateway.ts';
import type { ResolvedFleet } from '../../../../src/graph/model/fleet.ts';
import { attachmentKey } from '../../../../src/graph/model/keys.ts';
import { gateway, gatewayClass, httpRoute, listenerSet } from '../../../support/objects.ts';

const allowedListeners = { namespaces: { from: 'All' } } as const;
const own = [
  { name: 'any', hostname: undefined },
  { name: 'wide', hostname: '*.example.com' },
  { name: 'apart', hostname: 'apart.test' },
] as never;

const resolved = (sets: readonly ReturnType<typeof listenerSet>[]): ResolvedFleet => {
  const lone = resolveGateway(gateway('edge', own, { allowedListeners }), gatewayClass(), sets, {
    store: new Store(),
    edges: new Edges(kindModules),
    listenerSettings: undefined,
    sharedFleet: undefined,
  });
  const bind = (_gateway: unknown, port: number) => ({ address: '127.0.0.1', port });
  const [gateways, portFaultOf] = [[lone], () => undefined];
  return resolveFleet({ key: lone.fleet, gatewayClass: undefined, gateways, before: undefined, bind, portFaultOf });
};

const setOf = (name: string, hostname: string) => listenerSet(name, [{ name: 'web', hostname }]);

/** One route for each listener, named after it. */
function world(sets: readonly string[]) {
  const edges = new Edges(kindModules);
  const attachments = new Attachments();
  for (const name of ['any', 'wide', 'apart']) {
    attachments.replace(`HTTPRoute default/${name}`, [], [attachmentKey('default/edge', name)]);
  }
  for (const name of sets) {
    const route = httpRoute(name, { parentRefs: [{ kind: 'ListenerSet', name }] });
    edges.set('HTTPRoute', `default/${name}`, route);
    attachments.replace(`HTTPRoute default/${name}`, [], [attachmentKey('default/edge', `default/${name}/web`)]);
  }
  return { edges, attachments };
}

test('a ListenerSet that comes concerns its own routes, and those of wider listeners that it takes a host from', (t) => {
  const before = [setOf('a', 'a.other.test'), setOf('b', 'b.other.test')];
  const after = [...before, setOf('new', 'new.example.com')];
  const { edges, attachments } = world(['a', 'b', 'new']);
  const change = { before: resolved(before), after: resolved(after) };
  t.deepEqual([...affectedRoutes(change, edges, attachments)].sort(), [
    'HTTPRoute default/any',
    'HTTPRoute default/new',
    'HTTPRoute default/wide',
  ]);
});

test('a ListenerSet that loses a hostname to an older one concerns the routes of both', (t) => {
  const late = listenerSet('late', [{ name: 'web', hostname: 'shop.other.test' }], { created: '2026-01-02T00:00:00Z' });
  const early = setOf('early', 'shop.other.test');
  const { edges, attachments } = world(['early', 'late', 'bystander']);
  const bystander = setOf('bystander', 'by.other.test');
  const change = {
    before: resolved([late, bystander]),
    after: resolved([late, early, bystander]),
  };
  t.deepEqual([...affectedRoutes(change, edges, attachments)].sort(), [
    'HTTPRoute default/any',
    'HTTPRoute default/early',
    'HTTPRoute default/late',
  ]);
});

test('a Gateway that is resolved again without a difference affects no route', (t) => {
  const { edges, attachments } = world(['a']);
  const same = [setOf('a', 'a.other.test')];
  const change = { before: resolved(same), after: resolved(same) };
  t.is(affectedRoutes(change, edges, attachments).size, 0);
  t.is(affectedRoutes({ before: undefined, after: undefined }, edges, attachments).size, 0);
});
