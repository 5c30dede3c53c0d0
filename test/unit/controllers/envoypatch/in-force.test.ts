import test from 'ava';
import { kindModules } from '../../../../src/controllers/index.ts';
import { Graph } from '../../../../src/graph/index.ts';
import {
  controllerName,
  dataPlane,
  gateway,
  gatewayClass,
  httpRoute,
  listener,
  ownObject,
} from '../../../support/objects.ts';
import { put, someTime } from '../../../support/world.ts';

/* Where a patch of a Gateway is in force whose proxies serve other Gateways as well. */

const edge = (namespace: string, ...ports: readonly number[]) =>
  gateway(
    'edge',
    ports.map((port) => listener({ name: `p${port}`, port, hostname: `${namespace}.test` })),
    { namespace },
  );

const route = (name: string, section?: string) =>
  httpRoute(
    name,
    {
      parentRefs: [{ name: 'edge', ...(section !== undefined && { sectionName: section }) }],
      rules: [{ backendRefs: [{ name: 'web', port: 80 }] }],
    } as never,
    { namespace: 'one' },
  );

function startWorld() {
  const graph = new Graph({
    controllerName,
    kinds: kindModules,
    bind: (_gateway, port) => ({ address: '127.0.0.1', port }),
  });
  const parametersRef = { group: 'gatewright.dev', kind: 'DataPlane', name: 'shared', namespace: 'default' };
  const targetRefs = [{ group: 'gateway.networking.k8s.io', kind: 'Gateway', name: 'edge' }];
  const ports = { targetRefs, connectionManager: { via: 'edge' } };
  put(
    graph,
    dataPlane('shared', { shared: { namespace: 'default' } }),
    gatewayClass('gatewright', controllerName, { parametersRef }),
    edge('one', 80, 8080),
    edge('two', 80),
    route('both'),
    route('shared', 'p80'),
    route('own', 'p8080'),
    ownObject('EnvoyPatch', 'ports', ports, { namespace: 'one' }),
    ownObject('EnvoyPatch', 'ports', ports, { namespace: 'two' }),
  );
  graph.build(someTime);
  const owner = { kind: 'Gateway', namespace: 'one', name: 'edge' } as const;
  const said = (place: object) =>
    graph.trafficAt({ gateway: 'one/edge', ...place }).map(({ state, message }) => [state, message]);
  const messageOf = (patch: string) => {
    const status = graph.statusOf('EnvoyPatch', patch);
    const { conditions = [] } = (status && 'ancestors' in status && status.ancestors[0]) || {};
    return conditions.find(({ type }) => type === 'Accepted')?.message;
  };
  return {
    messageOf,
    at: (name: string) => said({ listener: { owner, name } }),
    of: (name: string) => said({ route: `HTTPRoute one/${name}` }),
  };
}

const shared = 'does nothing on port 80, where other Gateways have listeners too';

test('a patch of a Gateway is left out at a listener whose port others have too, and in force at its others', (t) => {
  const { at } = startWorld();
  t.deepEqual(at('p80'), [['leftOut', shared]]);
  t.deepEqual(at('p8080'), [['inForce', undefined]]);
});

test('at a route, the patch of its Gateway is in force if it is at one of the ports that the route is at', (t) => {
  const { of } = startWorld();
  t.deepEqual(of('both'), [['inForce', shared]]);
  t.deepEqual(of('shared'), [['leftOut', shared]]);
  t.deepEqual(of('own'), [['inForce', undefined]]);
});

test('the status of a patch names what it patches, and nothing where it patches nothing', (t) => {
  const { messageOf } = startWorld();
  t.is(messageOf('one/ports'), `patches connectionManager.via of Gateway one/edge; ${shared}`);
  t.is(messageOf('two/ports'), shared);
});
