import test from 'ava';
import { kindModules } from '../../../../src/controllers/index.ts';
import { Graph } from '../../../../src/graph/index.ts';
import {
  controllerName,
  gateway,
  gatewayClass,
  httpRoute,
  listener,
  ownObject,
  service,
} from '../../../support/objects.ts';
import { put, someTime } from '../../../support/world.ts';

/* What a policy of traffic says where its listener records nothing that routes could say more of. */

const gatewayGroup = 'gateway.networking.k8s.io';

const listenerPolicy = (spec: object, sectionName?: string) =>
  ownObject('ListenerPolicy', 'records', {
    targetRefs: [
      { group: gatewayGroup, kind: 'Gateway', name: 'edge', ...(sectionName !== undefined && { sectionName }) },
    ],
    ...spec,
  });

function startWorld(groups: object) {
  const graph = new Graph({ controllerName, kinds: kindModules, bind: (_, port) => ({ address: '127.0.0.1', port }) });
  put(
    graph,
    gatewayClass(),
    service('collector', [4317]),
    gateway('edge', [listener({ name: 'one', port: 80 }), listener({ name: 'two', port: 8080 })]),
    httpRoute('web', {
      parentRefs: [{ name: 'edge' }],
      rules: [{ backendRefs: [{ name: 'web', port: 80 }] }],
    } as never),
    ownObject('TrafficPolicy', 'own', {
      targetRefs: [{ group: gatewayGroup, kind: 'HTTPRoute', name: 'web' }],
      ...groups,
    }),
  );
  graph.build(someTime);
  return {
    put: (...objects: Parameters<typeof put> extends [unknown, ...infer O] ? O : never) => {
      put(graph, ...objects);
      graph.build(someTime);
    },
    said() {
      const status = graph.statusOf('TrafficPolicy', 'default/own');
      const { conditions = [] } = (status && 'ancestors' in status && status.ancestors[0]) || {};
      return conditions.find(({ type }) => type === 'Accepted')?.message;
    },
    held: () =>
      graph
        .trafficAt({ gateway: 'default/edge', route: 'HTTPRoute default/web' })
        .map(({ state, message }) => [state, message]),
  };
}

const receiver = { otlp: { backendRef: { name: 'collector', port: 4317 } } };

test('tracing of a route says at which listeners there is none, and follows their policies', (t) => {
  const { said, held, put: change } = startWorld({ tracing: { samplingPercent: 50 } });
  const hint = 'without tracing there: set it in a ListenerPolicy, or leave this group out';
  const both = `tracing does nothing at listeners one, two of Gateway default/edge, ${hint}`;
  t.is(said(), `acts on 1 route; ${both}`);
  t.deepEqual(held(), [['leftOut', both]]);
  change(listenerPolicy({ tracing: receiver }, 'one'));
  const two = `tracing does nothing at listener two of Gateway default/edge, ${hint}`;
  t.is(said(), `acts on 1 route; ${two}`);
  t.deepEqual(held(), [['inForce', two]]);
  change(listenerPolicy({ tracing: receiver }));
  t.is(said(), 'acts on 1 route');
  t.deepEqual(held(), [['inForce', undefined]]);
});

test('an access log of a route says whether there is none, or one in which routes have no say', (t) => {
  const { said, held, put: change } = startWorld({ accessLog: { enabled: true, minStatus: 500 } });
  t.regex(said() ?? '', /accessLog does nothing at listeners one, two of Gateway default\/edge, without an access log/);
  change(listenerPolicy({ accessLog: { enabled: true } }));
  t.regex(said() ?? '', /whose access log has no byRoute: set byRoute: true in the ListenerPolicy or DataPlane/);
  t.is(held()[0]?.[0], 'leftOut');
  change(listenerPolicy({ accessLog: { enabled: true, byRoute: true } }));
  t.is(said(), 'acts on 1 route');
  t.deepEqual(held(), [['inForce', undefined]]);
});

test('a route that is not to be logged says nothing where nothing is logged', (t) => {
  const { said, put: change } = startWorld({ accessLog: { enabled: false } });
  t.is(said(), 'acts on 1 route');
  change(listenerPolicy({ accessLog: { enabled: true } }));
  t.regex(said() ?? '', /whose access log has no byRoute/);
});
