import test from 'ava';
import { readJwks } from '../../../../src/key-sets/index.ts';
import { gateway, gatewayClass, httpRoute, ownObject, service } from '../../../support/objects.ts';
import { signer } from '../../../support/tokens.ts';
import { newGraph, put, someTime } from '../../../support/world.ts';

const group = 'gateway.networking.k8s.io';
const inline = JSON.stringify({ keys: [signer('k').jwk] });
const jwt = { providers: [{ name: 'id', jwks: { inline } }] };
const rules = (when: object) => ({ rules: [{ name: 'r', action: 'Allow', when }] });
const policy = (name: string, target: object, spec: object) =>
  ownObject('AccessPolicy', name, { targetRefs: [{ group, ...target }], ...spec });
const [edge, web] = [
  { kind: 'Gateway', name: 'edge' },
  { kind: 'HTTPRoute', name: 'web' },
];

function world() {
  const graph = newGraph();
  put(
    graph,
    gatewayClass(),
    gateway('edge', [{ name: 'http', port: 80, protocol: 'HTTP' }]),
    service('web'),
    httpRoute('web', { hostnames: ['a.test'] }),
  );
  const build = () => {
    graph.build(someTime);
    return [...(graph.snapshot()?.gateways.get('default/edge')?.tables.values() ?? [])][0];
  };
  return {
    graph,
    ofTable: () => build()?.access?.demands[0]?.jwt?.providers[0]?.claimsRead,
    ofRoute: () => build()?.exact.get('a.test')?.routes[0]?.rule.filters?.access?.route?.jwt?.providers[0]?.claimsRead,
  };
}

test('proxies keep the claims of a Gateway’s tokens as long as a rule of any policy asks for them', (t) => {
  t.true('keys' in readJwks(inline));
  const { graph, ofTable } = world();
  put(graph, policy('gate', edge, { jwt }));
  t.is(ofTable(), undefined);
  put(graph, policy('shop', web, { authorization: rules({ jwt: { provider: 'default/gate/id', scopes: ['a'] } }) }));
  t.true(ofTable());
  put(graph, policy('more', web, { authorization: rules({ cel: "'a' in jwt['default/gate/id'].groups" }) }));
  graph.remove('AccessPolicy', 'default/shop');
  t.true(ofTable(), 'another one reads them, in CEL');
  put(graph, policy('more', web, { authorization: rules({ methods: ['GET'] }) }));
  t.is(ofTable(), undefined);
});

test('rules of the policy itself ask for claims by the short name', (t) => {
  for (const when of [{ jwt: { provider: 'id' } }, { cel: "has(jwt.id) || request.method == 'GET'" }]) {
    const { graph, ofRoute } = world();
    put(graph, policy('shop', web, { jwt, authorization: rules({ methods: ['GET'] }) }));
    t.is(ofRoute(), undefined);
    put(graph, policy('shop', web, { jwt, authorization: rules(when) }));
    t.true(ofRoute());
  }
});

test('a policy that is not there yet finds its claims asked for', (t) => {
  const { graph, ofTable } = world();
  put(graph, policy('shop', web, { authorization: rules({ jwt: { provider: 'default/gate/id' } }) }));
  put(graph, policy('gate', edge, { jwt }));
  t.true(ofTable());
});
