import { createPublicKey } from 'node:crypto';
import fc from 'fast-check';
import {
  configMap,
  controllerName,
  dataPlane,
  dataPlaneRef,
  gateway,
  gatewayClass,
  grpcRoute,
  httpRoute,
  listenerSet,
  ownObject,
  referenceGrant,
  secret,
  service,
} from '../../../support/objects.ts';
import type { AnyObject } from '../../../support/world.ts';
import { created, generation, good, goodPair, hostnames, identity, maybe, names, namespaces } from './parts/names.ts';
import { shares } from './shares.ts';

const publicJwks = JSON.stringify({
  keys: [createPublicKey(good.certificate).export({ format: 'jwk' })],
});

/** Names of which most meet: what policies of access do takes several objects that fit. */
const two = fc.constantFrom('a', 'b');
const near = { name: two, generation, created };

/** Policies of access on Gateways, routes and rules, with what they refer to; the Gateways may share their proxies. */
export const accessTarget = fc.oneof(
  {
    arbitrary: fc.record({
      kind: fc.constantFrom('Gateway', 'Gateway', 'ListenerSet'),
      name: two,
      sectionName: maybe(fc.constantFrom('http', 'tls', 'none')),
    }),
    weight: 3,
  },
  {
    arbitrary: fc.record({
      kind: fc.constantFrom('HTTPRoute', 'HTTPRoute', 'GRPCRoute'),
      name: two,
      sectionName: maybe(fc.constantFrom('first', 'none')),
    }),
    weight: 3,
  },
);
const accessParts = fc.record(
  {
    clientIPs: fc.constantFrom({ allow: ['10.0.0.0/8'] }, { deny: ['10.0.0.1/8'] }),
    clientCertificates: fc.constantFrom({ required: true }, { names: [{ dns: '*.a.test' }, { subject: 'CN=a' }] }),
    csrf: fc.constantFrom({}, { additionalOrigins: ['*.a.test'] }, { shadowPercent: 5 }),
    oidc: fc.record({ name: two, forward: fc.constantFrom({}, { cookies: true }) }).map(({ name, forward }) => ({
      endpoints: { authorization: 'https://id.example.com/auth', token: 'https://id.example.com/token' },
      client: { id: 'gw', secretRef: { name, key: 'key' } },
      forward,
    })),
    apiKeys: fc
      .record({ name: two, namespace: maybe(namespaces) })
      .map((ref) => ({ secretRefs: [ref], from: [{ header: 'x-key' }] })),
    basicAuth: two.map((name) => ({ secretRef: { name } })),
    jwt: two.map((name) => ({ providers: [{ name: 'p', jwks: { configMapRef: { name } } }] })),
    forwardAuth: fc
      .record({ name: two, namespace: maybe(namespaces) })
      .map((ref) => ({ backendRef: { ...ref, port: 80 } })),
    authorization: fc.constantFrom(
      { default: 'Allow' },
      { rules: [{ name: 'r', action: 'Allow', when: { cel: "'ops' in jwt.p.groups" } }] },
      { default: 'Allow', rules: [{ name: 'r', action: 'Deny', when: { clientLocations: [{ country: 'DE' }] } }] },
    ),
    cors: fc.constantFrom({}, { allowOrigins: ['*'] }, { allowOrigins: ['*'], allowCredentials: true }),
    satisfy: fc.constantFrom('Any', 'All'),
    overridable: fc.subarray(['clientIPs', 'clientCertificates', 'csrf', 'oidc', 'any', 'jwt']),
    overrides: fc.subarray(['clientIPs', 'csrf', 'oidc', 'any', 'jwt']),
  },
  { requiredKeys: [] },
);
const accessRoutes = (make: typeof httpRoute | typeof grpcRoute) =>
  fc
    .record({ ...near, parents: fc.array(fc.record({ name: two }), { minLength: 1, maxLength: 2 }), host: hostnames })
    .map(({ name, parents, host, ...meta }) => {
      const rules = [{ name: 'first', backendRefs: [{ name: 'a', port: 80 }] }];
      return make(name, { parentRefs: parents, hostnames: [host], rules } as never, meta);
    });
/** Clients are asked for certificates, as policies see it. */
const asking = {
  frontend: { default: { validation: { caCertificateRefs: [{ group: '', kind: 'ConfigMap', name: 'a' }] } } },
} as never;
const accessObjects: fc.Arbitrary<AnyObject> = fc.oneof(
  {
    arbitrary: fc
      .record({
        ...identity,
        namespace: fc.constant('default'),
        targets: fc.array(accessTarget, { minLength: 1, maxLength: 2 }),
        parts: accessParts,
      })
      .map(({ name, targets, parts, ...meta }) => {
        const targetRefs = targets.map((target) => ({ group: 'gateway.networking.k8s.io', ...target }));
        return ownObject('AccessPolicy', name, { targetRefs, ...parts }, meta);
      }),
    weight: 8,
  },
  {
    arbitrary: fc.record({ ...near, https: fc.boolean(), asks: fc.boolean() }).map(({ name, https, asks, ...meta }) => {
      const tls = { certificateRefs: [{ name: 'cert' }] };
      const listeners = [{}, ...(https ? [{ name: 'tls', port: 443, protocol: 'HTTPS', tls }] : [])];
      const allowedListeners = { namespaces: { from: 'Same' as const } };
      return gateway(name, listeners as never, { ...meta, allowedListeners, ...(asks && { tls: asking }) });
    }),
    weight: 4,
  },
  {
    arbitrary: fc
      .record({ ...near, parent: two, hostname: hostnames })
      .map(({ name, parent, hostname, ...meta }) =>
        listenerSet(name, [{ name: 'http', hostname }] as never, { ...meta, parent: { name: parent } }),
      ),
    weight: 2,
  },
  { arbitrary: accessRoutes(httpRoute), weight: 5 },
  { arbitrary: accessRoutes(grpcRoute), weight: 2 },
  {
    arbitrary: fc
      .record({ name: two, namespace: namespaces, key: fc.constantFrom('one', 'two', ''), sha: fc.boolean() })
      .map(({ name, namespace: where, key, sha }) => {
        const htpasswd = sha ? 'ann:{SHA}5en6G6MezRroT3XKqkdPOmY/BfQ=' : 'ann:$apr1$x';
        const labels = { 'gatewright.dev/credentials': 'true' };
        return secret(name, { key, '.htpasswd': htpasswd }, { namespace: where, labels });
      }),
    weight: 3,
  },
  {
    arbitrary: fc
      .record({ name: two, jwks: fc.constantFrom('{"keys":[]}', publicJwks) })
      .map(({ name, jwks }) => configMap(name, { 'jwks.json': jwks })),
    weight: 2,
  },
  {
    arbitrary: fc.record({ name: two, namespace: namespaces }).map(({ name, ...where }) => service(name, [80], where)),
    weight: 3,
  },
  {
    arbitrary: fc
      .record({ name: names, namespace: namespaces, from: namespaces, to: fc.constantFrom('Service', 'Secret') })
      .map(({ name, namespace: where, from, to }) => {
        const grant = referenceGrant(name, { from: ['AccessPolicy', from], to: [to] }, { namespace: where });
        const { to: allowed } = grant.spec;
        const sources = [{ group: 'gatewright.dev', kind: 'AccessPolicy', namespace: from }];
        return { ...grant, spec: { from: sources, to: allowed } } as AnyObject;
      }),
    weight: 1,
  },
  { arbitrary: fc.constantFrom(dataPlane('pool', { shared: {} }), dataPlane('pool')), weight: 1 },
  {
    arbitrary: fc.constantFrom(
      gatewayClass('gatewright', controllerName, { parametersRef: dataPlaneRef('pool', 'default') }),
      gatewayClass(),
      gatewayClass(),
      gatewayClass('gatewright', 'other.example/controller'),
    ),
    weight: 1,
  },
  { arbitrary: fc.constant(secret('cert', goodPair)), weight: 1 },
  {
    arbitrary: fc
      .constantFrom('k'.repeat(32), 'l'.repeat(40), 'short')
      .map((key) => secret('gatewright-login-key', { 'login.key': key }, { namespace: 'gatewright-system' })),
    weight: 1,
  },
);

/** Policies meet what they refer to in a world of their own. */
export const objects = shares({ access: { arbitrary: accessObjects, weight: 7 } });
