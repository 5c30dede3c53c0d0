import test from 'ava';
import { kindModules } from '../../../../src/controllers/index.ts';
import { Graph } from '../../../../src/graph/index.ts';
import { controllerName, gateway, gatewayClass, httpRoute, listener, ownObject } from '../../../support/objects.ts';
import { put, someTime } from '../../../support/world.ts';

/* What policies say of rules that the proxy answers by itself. */

const targetRefs = [{ group: 'gateway.networking.k8s.io', kind: 'HTTPRoute', name: 'web' }];
const filterOf = (spec: object) => ownObject('HTTPFilter', 'page', spec);
const edits = filterOf({ headers: { request: { remove: ['x-a'] } } });

test('shared limits and groups of forwarding name rules that the proxy answers itself, and follow their filter', (t) => {
  const graph = new Graph({ controllerName, kinds: kindModules, bind: (_, port) => ({ address: '127.0.0.1', port }) });
  const change = (...objects: Parameters<typeof put> extends [unknown, ...infer O] ? O : never) => {
    put(graph, ...objects);
    graph.build(someTime);
  };
  const extensionRef = { group: 'gatewright.dev', kind: 'HTTPFilter', name: 'page' };
  change(
    gatewayClass(),
    gateway('edge', [listener({ name: 'http', port: 80 })]),
    httpRoute('web', {
      parentRefs: [{ name: 'edge' }],
      rules: [{ filters: [{ type: 'ExtensionRef', extensionRef }], backendRefs: [{ name: 'web', port: 80 }] }],
    } as never),
    ownObject('RateLimitPolicy', 'limit', {
      targetRefs,
      counting: 'Shared',
      buckets: [{ name: 'b', limits: [{ requests: 1, per: '1s' }] }],
    }),
    ownObject('TrafficPolicy', 'traffic', { targetRefs, retry: { attempts: 1 }, compression: {} }),
    edits,
  );
  const said = () => {
    const status = graph.statusOf('RateLimitPolicy', 'default/limit');
    const { conditions = [] } = (status && 'ancestors' in status && status.ancestors[0]) || {};
    return conditions.find(({ type }) => type === 'Accepted')?.message;
  };
  const held = (ruleIndex: number) =>
    graph
      .trafficAt({ gateway: 'default/edge', route: 'HTTPRoute default/web', ruleIndex })
      .map(({ group, state, message }) => [group, state, message]);
  const inForce = ['compression', 'inForce', undefined];
  t.is(said(), '');
  t.deepEqual(held(0), [['retry', 'inForce', undefined], inForce]);
  for (const spec of [{ directResponse: { status: 410 } }, { regexRedirect: { pattern: '^/a', substitution: '/b' } }]) {
    change(filterOf(spec));
    t.regex(said() ?? '', /does not count what proxies answer themselves: rule 0 of HTTPRoute default\/web$/);
    t.deepEqual(held(0), [['retry', 'leftOut', 'the proxy answers requests of this rule itself'], inForce]);
    t.deepEqual(held(1), [['retry', 'inForce', undefined], inForce], 'a rule that is not there');
  }
  change(edits);
  t.is(said(), '');
  t.deepEqual(held(0), [['retry', 'inForce', undefined], inForce]);
});
