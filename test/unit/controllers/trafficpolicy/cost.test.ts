import test from 'ava';
import type { Graph } from '../../../../src/graph/index.ts';
import { slots, tablePlaces } from '../../../../src/translate/filters/index.ts';
import { type EnvoyResource, Translator } from '../../../../src/translate/index.ts';
import { endpointSlice, gateway, gatewayClass, httpRoute, ownObject, service } from '../../../support/objects.ts';
import { thorough } from '../../../support/repetitions.ts';
import { type AnyObject, newGraph, put, someTime } from '../../../support/world.ts';

const edge = { kind: 'Gateway', name: 'edge' };

const policy = (name: string, target: object, spec: object): AnyObject =>
  ownObject('TrafficPolicy', name, { targetRefs: [{ group: 'gateway.networking.k8s.io', ...target }], ...spec });

/** Many routes of one Gateway, and a way to count what a change of them sends. */
function world(count: number) {
  const graph: Graph = newGraph();
  const translator = new Translator();
  put(graph, gatewayClass(), gateway('edge', [{}]), service('web'), endpointSlice('web', ['10.0.0.1']));
  const routes = Array.from({ length: count }, (_, index) => httpRoute(`r${index}`, { hostnames: [`h${index}.test`] }));
  put(graph, ...routes);
  const held = new Map<string, string>();
  const isNews = ({ typeUrl, name, version }: EnvoyResource) => {
    const before = held.get(typeUrl + name);
    held.set(typeUrl + name, version);
    return before !== version;
  };
  /** What proxies are sent, by the last part of its type: no version that they have. */
  const sent = (): Readonly<Record<string, number>> => {
    const { changes, snapshot } = graph.build(someTime);
    const upserts = [...translator.translate(snapshot, changes)].flatMap((change) => change.upserts.filter(isNews));
    const types = upserts.map(({ typeUrl }) => typeUrl.slice(typeUrl.lastIndexOf('.') + 1));
    return Object.fromEntries([...Map.groupBy(types, (type) => type)].map(([type, all]) => [type, all.length]));
  };
  return { graph, sent };
}

thorough(test)(
  'a policy of a Gateway with 5,000 routes that comes, changes and goes is one update of each filter chain, and of no route',
  (t) => {
    const { graph, sent } = world(5_000);
    t.is(sent().ScopedRouteConfiguration, 5_001);
    const ofAccess = {
      compression: {},
      errorPages: [{ classes: ['5xx'], body: { contentType: 'text/html', inline: '' } }],
    };
    const ofTraffic = { buffering: { request: { maxBytes: '1k' } }, responseCookies: { secure: true } };
    put(graph, policy('all', edge, { ...ofAccess, ...ofTraffic }));
    // Requests may wait for bodies, so what routes name and the table has is beside the chain of traffic from now on, and a listener subscribes to it.
    const lists = slots.filter(({ chain, apart }) => chain === 'traffic' && apart);
    const places = tablePlaces.filter(({ chain }) => chain === 'traffic');
    t.deepEqual(sent(), { Listener: 1, TypedExtensionConfig: 2 + lists.length + places.length + 1 });
    put(graph, policy('all', edge, { ...ofAccess, ...ofTraffic, compression: { algorithms: ['Gzip'] } }));
    t.deepEqual(sent(), { TypedExtensionConfig: 1 }, 'the chain that changes');
    put(
      graph,
      policy('all', edge, { ...ofAccess, ...ofTraffic, compression: { algorithms: ['Gzip'] }, mode: 'Override' }),
    );
    t.deepEqual(sent(), {}, 'no route said otherwise');
    graph.remove('TrafficPolicy', 'default/all');
    t.deepEqual(sent(), { TypedExtensionConfig: 2 });
  },
);

test('a policy of one route of many sends the hosts of that route, and a chain where it is the first with such a filter', (t) => {
  const { graph, sent } = world(200);
  sent();
  const one = { kind: 'HTTPRoute', name: 'r7' };
  put(graph, policy('one', one, { requestBody: { maxBytes: '1k' } }));
  t.deepEqual(sent(), { TypedExtensionConfig: 1, ScopedRouteConfiguration: 1 });
  put(graph, policy('one', one, { requestBody: { maxBytes: '2k' } }));
  t.deepEqual(sent(), { ScopedRouteConfiguration: 1 });
  put(graph, policy('all', edge, { requestBody: { maxBytes: '1Mi' } }));
  t.deepEqual(sent(), { TypedExtensionConfig: 1 });
});

test('what routes carry by themselves is sent with all of them', (t) => {
  const { graph, sent } = world(200);
  sent();
  put(graph, policy('all', edge, { admission: {} }));
  t.is(sent().ScopedRouteConfiguration, 200);
});
