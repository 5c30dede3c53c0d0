import test from 'ava';
import type * as ir from '../../../../src/ir/index.ts';
import { weakerAccess } from '../../../../src/offline/access/index.ts';
import { issue } from '../../../support/certificates.ts';
import { createClientAuthority } from '../../../support/client-certificates.ts';
import {
  configMap,
  endpointSlice,
  gateway,
  gatewayClass,
  httpRoute,
  l4Route,
  ownObject,
  secret,
  service,
} from '../../../support/objects.ts';
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
  [{ csrf: {} }, { csrf: { shadowPercent: 5 } }, ['csrf only counts for more requests']],
  [{ csrf: { shadow: true } }, { csrf: { shadowPercent: 99 } }, []],
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

/** Routes whose connections have TLS that ends here, or none. */
async function connections() {
  const pair = await issue('ends.test');
  const authority = await createClientAuthority('ours');
  const { graph, apply, remove } = world();
  const validation = { caCertificateRefs: [{ group: '', kind: 'ConfigMap', name: 'authorities' }] };
  const backendRefs = [{ name: 'web', port: 80 }] as never;
  apply(
    secret('cert', { 'tls.crt': pair.certificate, 'tls.key': pair.key }),
    configMap('authorities', { 'ca.crt': authority.certificatePem }),
    gateway(
      'ends',
      [
        { name: 'tls', port: 443, protocol: 'TLS', tls: { mode: 'Terminate', certificateRefs: [{ name: 'cert' }] } },
        { name: 'tcp', port: 9000, protocol: 'TCP' },
      ] as never,
      { tls: { frontend: { default: { validation } } } as never },
    ),
    l4Route('TLSRoute', 'tls', {
      parentRefs: [{ name: 'ends', sectionName: 'tls' }],
      hostnames: ['a.ends.test', 'b.ends.test'],
      rules: [{ name: 'all', backendRefs }] as never,
    }),
    l4Route('TCPRoute', 'tcp', {
      parentRefs: [{ name: 'ends', sectionName: 'tcp' }],
      rules: [{ backendRefs }] as never,
    }),
  );
  return { graph, remove, put: (target: object, spec: object) => apply(policy('p', target, spec)), apply };
}

test('connections: certificates with more names, any certificate, and none, each said once of the route', async (t) => {
  const { put, remove, apply } = await connections();
  const names = (...list: readonly string[]) => ({ clientCertificates: { names: list.map((dns) => ({ dns })) } });
  const tls = ref('TLSRoute', 'tls');
  t.deepEqual(put(tls, names('a.test', 'b.test')), []);
  t.deepEqual(put(tls, names('a.test')), []);
  t.deepEqual(put(tls, names('a.test', 'c.test')), ['default/tls lets client certificates with more names in']);
  t.deepEqual(put(tls, { clientCertificates: { required: true } }), ['default/tls lets every client certificate in']);
  const rule = { ...tls, sectionName: 'all' };
  t.deepEqual(apply(policy('q', rule, names('a.test'))), [], 'the rule of it demands more');
  t.deepEqual(put(tls, names('b.test')), [], 'no certificate has a name of both: closed');
  t.deepEqual(put(tls, names('a.test')), [], 'open again');
  t.deepEqual(remove('p'), [], 'the rule still demands the same');
  t.deepEqual(remove('q'), ['default/tls no longer demands a client certificate']);
});

test('connections: addresses are compared as networks, whatever level says them', async (t) => {
  const { put, remove, apply } = await connections();
  const tcp = ref('TCPRoute', 'tcp');
  const of = (allow: readonly string[], deny: readonly string[] = []) => ({
    clientIPs: { allow, ...(deny.length > 0 && { deny }) },
  });
  t.deepEqual(put(tcp, of(['10.0.0.0/8', '2001:db8::/32'])), []);
  t.deepEqual(put(tcp, of(['10.1.0.0/16'])), [], 'within the former one');
  t.deepEqual(put(tcp, of(['10.0.0.0/8'], ['10.9.0.0/16'])), ['default/tcp lets more networks in']);
  t.deepEqual(put(tcp, of(['10.0.0.0/8'], ['10.8.0.0/15'])), [], 'more is denied');
  t.deepEqual(put(tcp, of(['10.0.0.0/8'], ['10.9.0.0/16'])), ['default/tcp lets more networks in']);
  t.deepEqual(apply(policy('q', ref('Gateway', 'ends'), of(['10.0.0.0/9']))), [], 'its Gateway demands more');
  t.deepEqual(put(tcp, of(['10.0.0.0/9'])), ['default/tcp lets more networks in']);
  t.deepEqual(remove('p'), [], 'its Gateway still demands the same');
  t.deepEqual(remove('q').sort(), [
    'default/tcp no longer demands an allowed address',
    'default/tls no longer demands an allowed address',
  ]);
});
