import test from 'ava';
import { kindModules } from '../../../../src/controllers/index.ts';
import { Dirty } from '../../../../src/graph/engine/dirty.ts';
import type { AnyEdge, Change } from '../../../../src/graph/engine/edge.ts';
import { Edges } from '../../../../src/graph/engine/edges.ts';
import { Store } from '../../../../src/graph/engine/store.ts';
import { routeEdges } from '../../../../src/graph/routes/edges.ts';
import { grpcRoute, httpRoute } from '../../../support/objects.ts';

const rules = (namespace?: string) => [{ backendRefs: [{ name: 'web', port: 80, ...(namespace && { namespace }) }] }];

test('kinds that share an edge share its index, in which their sources are distinguished', (t) => {
  const edges = new Edges(kindModules);
  edges.set('HTTPRoute', 'default/shop', httpRoute('shop', { rules: rules() }));
  edges.set('GRPCRoute', 'default/shop', grpcRoute('shop', { rules: rules() } as never));
  const sources = () => [...edges.of(routeEdges.backend).sourcesOf('default/web')];
  t.deepEqual(sources(), ['HTTPRoute default/shop', 'GRPCRoute default/shop']);
  edges.set('HTTPRoute', 'default/shop', undefined);
  t.deepEqual(sources(), ['GRPCRoute default/shop']);
});

/** routeKeys that a change marks. */
function routesMarked(edges: Edges, kind: 'Service' | 'ReferenceGrant', key: string): string[] {
  const dirty = new Dirty();
  const change: Change = { kind, key, before: undefined, after: undefined };
  edges.mark(change, { dirty, store: new Store(), edges });
  return [...dirty.routes];
}

test('a target marks those that refer to it; a grant, those that refer into its namespace from others', (t) => {
  const edges = new Edges(kindModules);
  edges.set('HTTPRoute', 'default/near', httpRoute('near', { rules: rules() }));
  edges.set('HTTPRoute', 'default/far', httpRoute('far', { rules: rules('other') }));
  t.deepEqual(routesMarked(edges, 'Service', 'default/web'), ['HTTPRoute default/near']);
  t.deepEqual(routesMarked(edges, 'Service', 'other/web'), ['HTTPRoute default/far']);
  t.deepEqual(routesMarked(edges, 'ReferenceGrant', 'other/any'), ['HTTPRoute default/far']);
  t.deepEqual(routesMarked(edges, 'ReferenceGrant', 'default/any'), []);
});

test('an edge that no kind declares is no silent nothing', (t) => {
  const stray: AnyEdge = { to: {}, targets: () => [], marks: 'nothing' };
  t.throws(() => new Edges(kindModules).of(stray), { message: /no kind declares/ });
});
