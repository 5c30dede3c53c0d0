import test from 'ava';
import type { PolicyStatus } from '../../../../src/gateway-api/index.ts';
import { gateway, gatewayClass, httpRoute, ownObject, service } from '../../../support/objects.ts';
import { signer } from '../../../support/tokens.ts';
import { newGraph, put, someTime } from '../../../support/world.ts';

/** Policies of many routes with the same part: one above them would take the memory of proxies once. */

const group = 'gateway.networking.k8s.io';
const jwt = { providers: [{ name: 'id', jwks: { inline: JSON.stringify({ keys: [signer('k').jwk] }) } }] };
const most = 64;
const nameOf = (index: number): string => `r${index}`;

const routeRef = (index: number, more: object = {}) => ({ group, kind: 'HTTPRoute', name: nameOf(index), ...more });

const policy = (index: number, spec: object, more: object = {}) =>
  ownObject('AccessPolicy', nameOf(index), { targetRefs: [routeRef(index)], ...spec }, more);

/** A policy of these routes, or of anything else. */
const policyOf = (name: string, targetRefs: readonly object[]) =>
  ownObject('AccessPolicy', name, { targetRefs, clientIPs: { allow: ['10.0.0.0/8'] } });

const routesFrom = (first: number, count: number) => Array.from({ length: count }, (_, at) => routeRef(first + at));

function world(count: number) {
  const graph = newGraph();
  put(
    graph,
    gatewayClass(),
    gateway('edge', [{ name: 'http' }] as never),
    service('web'),
    ...Array.from({ length: count }, (_, index) =>
      httpRoute(nameOf(index), {
        hostnames: [`${nameOf(index)}.test`],
        rules: [{ name: 'rule', backendRefs: [{ name: 'web', port: 80 }] }] as never,
      }),
    ),
  );
  const acceptedOf = (name: string) => {
    const status = graph.statusOf('AccessPolicy', `default/${name}`) as PolicyStatus | undefined;
    return status?.ancestors[0]?.conditions.find(({ type }) => type === 'Accepted');
  };
  return {
    graph,
    acceptedOf,
    reasonsOf: (names: readonly string[]) => [...new Set(names.map((name) => acceptedOf(name)?.reason))],
    build: (...objects: Parameters<typeof put>[1][]) => {
      put(graph, ...objects);
      graph.build(someTime);
    },
  };
}

test('policies of more than 64 routes with the same part say which, and where it is to be demanded once', (t) => {
  const { graph, build, acceptedOf, reasonsOf } = world(most + 2);
  const rules = (index: number) => ({
    authorization: { rules: [{ name: `r${index}`, action: 'Allow', when: { methods: ['GET'] } }] },
  });
  const names = Array.from({ length: most + 1 }, (_, index) => nameOf(index));
  build(...names.slice(0, most).map((_, index) => policy(index, { jwt, ...rules(index) })));
  t.deepEqual(reasonsOf(names.slice(0, most)), ['Accepted']);
  build(policy(most, { jwt, ...rules(most) }));
  t.deepEqual(reasonsOf(names), ['RepeatedOnRoutes'], 'all of them, when one too many comes');
  t.is(acceptedOf('r0')?.status, 'True', 'they are in force');
  t.regex(
    acceptedOf('r0')?.message ?? '',
    /policies of namespace default demand the same jwt of more than 64 routes and rules, /,
  );
  t.regex(acceptedOf('r0')?.message ?? '', /once at the Gateway, .*NAMESPACE\/POLICY\/PROVIDER/);
  build(policy(most + 1, { clientIPs: { allow: ['10.0.0.0/8'] } }));
  t.is(acceptedOf(nameOf(most + 1))?.reason, 'Accepted', 'another part is not repeated');
  build(policy(3, rules(3)));
  t.deepEqual(reasonsOf(names), ['Accepted'], 'again, when one of them changes');
  build(policy(3, { jwt, ...rules(3) }));
  t.deepEqual(reasonsOf(names), ['RepeatedOnRoutes']);
  graph.remove('AccessPolicy', 'default/r5');
  build();
  t.deepEqual(reasonsOf(names.filter((name) => name !== 'r5')), ['Accepted'], 'or goes');
});

test('a policy for listeners is none of them, and neither is one of another namespace', (t) => {
  const { build, reasonsOf } = world(most);
  const names = Array.from({ length: most }, (_, index) => nameOf(index));
  const allow = { clientIPs: { allow: ['10.0.0.0/8'] } };
  build(
    ...names.map((_, index) => policy(index, allow)),
    ownObject('AccessPolicy', 'all', { targetRefs: [{ group, kind: 'Gateway', name: 'edge' }], ...allow }),
    policy(0, allow, { namespace: 'elsewhere' }),
  );
  t.deepEqual(reasonsOf([...names, 'all']), ['Accepted']);
});

test('a policy counts once for each of its routes and rules', (t) => {
  const { graph, build, reasonsOf } = world(most + 16);
  const names = Array.from({ length: 4 }, (_, at) => `p${at}`);
  build(...names.map((name, at) => policyOf(name, routesFrom(at * 16, 16))));
  t.deepEqual(reasonsOf(names), ['Accepted'], '64 routes');
  build(policyOf('p4', [routeRef(0, { sectionName: 'rule' }), routeRef(0, { sectionName: 'rule' })]));
  t.deepEqual(reasonsOf([...names, 'p4']), ['RepeatedOnRoutes'], 'and a rule of one, which has it beside its route');
  build(policyOf('p0', routesFrom(0, 15)));
  t.deepEqual(reasonsOf([...names, 'p4']), ['Accepted'], 'one route less');
  build(policyOf('p4', [routeRef(0, { sectionName: 'rule' }), routeRef(most)]));
  t.deepEqual(reasonsOf([...names, 'p4']), ['RepeatedOnRoutes'], 'and one more, of a policy that there is already');
  build(policyOf('p4', routesFrom(most, 16)));
  t.deepEqual(reasonsOf([...names, 'p4']), ['RepeatedOnRoutes'], 'and fifteen more');
  graph.remove('AccessPolicy', 'default/p4');
  build();
  t.deepEqual(reasonsOf(names), ['Accepted'], 'without it');
});

test('of a policy for listeners and routes, its routes count', (t) => {
  const { build, reasonsOf } = world(most);
  const names = Array.from({ length: 4 }, (_, at) => `p${at}`);
  build(
    ...names.map((name, at) => policyOf(name, routesFrom(at * 16, 16))),
    policyOf('all', [{ group, kind: 'Gateway', name: 'edge' }]),
  );
  t.deepEqual(reasonsOf([...names, 'all']), ['Accepted']);
  build(policyOf('all', [{ group, kind: 'Gateway', name: 'edge' }, routeRef(0, { sectionName: 'rule' })]));
  t.deepEqual(reasonsOf([...names, 'all']), ['RepeatedOnRoutes']);
});
