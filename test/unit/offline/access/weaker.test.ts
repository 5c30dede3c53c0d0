import test from 'ava';
import type * as ir from '../../../../src/ir/index.ts';
import { weakerAccess } from '../../../../src/offline/access/index.ts';
import { endpointSlice, gateway, gatewayClass, httpRoute, ownObject, service } from '../../../support/objects.ts';
import { signer } from '../../../support/tokens.ts';
import { newGraph, put, someTime } from '../../../support/world.ts';

const ref = (kind: string, name: string) => ({ group: 'gateway.networking.k8s.io', kind, name });
const keys = { inline: JSON.stringify({ keys: [signer('k').jwk] }) };
const provider = (given: object = {}) => ({
  name: 'staff',
  issuer: 'https://id.test',
  audiences: ['api'],
  jwks: keys,
  ...given,
});
const jwt = (given: object = {}, more: object = {}) => ({ jwt: { providers: [provider(given)], ...more } });
const policy = (name: string, target: object, spec: object) =>
  ownObject('AccessPolicy', name, { targetRefs: [target], ...spec });

/** Says what each change of a policy makes weaker. */
function world() {
  const graph = newGraph();
  put(
    graph,
    gatewayClass(),
    gateway('edge', [{}]),
    service('web'),
    endpointSlice('web', ['10.0.0.1']),
    httpRoute('shop', { hostnames: ['shop.test', 'www.test'] }),
    httpRoute('other', { hostnames: ['other.test'] }),
  );
  graph.build(someTime);
  const messages = () => {
    const { changes, snapshot } = graph.build(someTime);
    return weakerAccess(changes as readonly ir.Change[], snapshot).map(({ message }) => message);
  };
  return {
    graph,
    apply: (...objects: Parameters<typeof put>[1][]) => {
      put(graph, ...objects);
      return messages();
    },
    remove: (name: string) => {
      graph.remove('AccessPolicy', `default/${name}`);
      return messages();
    },
  };
}

test('what a route no longer demands is said once, whatever number of hosts it has', (t) => {
  const { apply, remove } = world();
  t.deepEqual(apply(policy('p', ref('HTTPRoute', 'shop'), jwt())), [], 'more is demanded');
  t.deepEqual(apply(policy('p', ref('HTTPRoute', 'shop'), { ...jwt(), csrf: {} })), []);
  t.deepEqual(apply(policy('p', ref('HTTPRoute', 'shop'), { csrf: {} })), ['default/shop no longer demands a JWT']);
  t.deepEqual(remove('p'), ['default/shop no longer demands a page of its own host']);
});

test('what a Gateway no longer demands is said of it', (t) => {
  const { apply, remove } = world();
  t.deepEqual(apply(policy('p', ref('Gateway', 'edge'), jwt())), []);
  t.deepEqual(remove('p'), ['Gateway default/edge no longer demands a JWT']);
});

test('a demand that moves to the Gateway is not gone', (t) => {
  const { apply } = world();
  apply(policy('p', ref('HTTPRoute', 'shop'), jwt()));
  t.deepEqual(apply(policy('q', ref('Gateway', 'edge'), jwt()), policy('p', ref('HTTPRoute', 'shop'), {})), []);
});

test('a part that its Gateway lets a route switch off is no longer demanded there', (t) => {
  const { apply } = world();
  apply(policy('p', ref('Gateway', 'edge'), { ...jwt(), overridable: ['jwt'] }));
  t.deepEqual(apply(policy('q', ref('HTTPRoute', 'shop'), { overrides: ['jwt'] })), [
    'default/shop no longer demands a JWT',
  ]);
});

const changes: readonly (readonly [object, object, readonly string[]])[] = [
  [jwt(), jwt({ audiences: ['api', 'shop'] }), ['takes JWTs for more audiences']],
  [jwt(), jwt({ audiences: undefined }), ['takes JWTs for any audience']],
  [jwt({ audiences: ['a', 'b'] }), jwt({ audiences: ['a'] }), []],
  [jwt(), jwt({}, { optional: true }), ['lets requests without a JWT in']],
  [
    { clientIPs: { allow: ['10.0.0.0/8'] } },
    { clientIPs: { allow: ['10.0.0.0/8', '192.0.2.0/24'] } },
    ['lets more networks in'],
  ],
  [{ clientIPs: { allow: ['10.0.0.0/8'] } }, { clientIPs: { deny: ['192.0.2.0/24'] } }, ['every address is allowed']],
  [
    { clientIPs: { deny: ['192.0.2.0/24', '10.0.0.0/8'] } },
    { clientIPs: { deny: ['10.0.0.0/8'] } },
    ['denies fewer networks'],
  ],
  [{ csrf: {} }, { csrf: { shadow: true } }, ['csrf only counts']],
  [
    { authorization: { default: 'Deny' } },
    { authorization: { default: 'Allow' } },
    ['allows by default what it denied'],
  ],
];
for (const [index, [before, after, texts]] of changes.entries())
  test(`a part that lets more in, ${index}: ${texts.join() || 'nothing'}`, (t) => {
    const { apply } = world();
    apply(policy('p', ref('HTTPRoute', 'shop'), before));
    t.deepEqual(
      apply(policy('p', ref('HTTPRoute', 'shop'), after)),
      texts.map((text) => `default/shop ${text}`),
    );
  });

test('what was closed and is corrected is not weaker', (t) => {
  const { apply } = world();
  apply(policy('p', ref('HTTPRoute', 'shop'), { clientIPs: { allow: ['10.1.2.3/8'] } }));
  t.deepEqual(apply(policy('p', ref('HTTPRoute', 'shop'), { clientIPs: { allow: ['10.0.0.0/8'] } })), []);
});

test('certificates: fewer names are stronger, and any certificate is weaker', (t) => {
  const { apply, remove } = world();
  const names = (...list: readonly string[]) => ({ clientCertificates: { names: list.map((dns) => ({ dns })) } });
  const put = (spec: object) => apply(policy('p', ref('HTTPRoute', 'shop'), spec));
  t.deepEqual(put(names('a.test', 'b.test')), []);
  t.deepEqual(put(names('a.test')), []);
  t.deepEqual(put(names('a.test', 'c.test')), ['default/shop lets client certificates with more names in']);
  t.deepEqual(put({ clientCertificates: { required: true } }), ['default/shop lets every client certificate in']);
  t.deepEqual(put(names('a.test')), []);
  t.deepEqual(remove('p'), ['default/shop no longer demands a client certificate']);
  const any = (spec: object) => put({ satisfy: 'Any', clientIPs: { allow: ['10.0.0.0/8'] }, ...spec });
  any(names('a.test'));
  t.deepEqual(any(names('a.test', 'b.test')), ['default/shop lets client certificates with more names in']);
});
