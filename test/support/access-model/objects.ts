import { frontendObjects } from '../client-certificates.ts';
import { crowdObjects } from '../standalone.ts';
import type { ModelCertificates } from './certificates.ts';
import { jwksOf, symmetricJwks } from './credentials.ts';
import { oidc } from './login.ts';
import { hostnameOf, type Place, placeOf, places } from './places.ts';
import { crowdedHosts } from './spoilt.ts';
import type { Host, World } from './world.ts';

/** What the gateway of the model is made of. */

const api = { apiVersion: 'gateway.networking.k8s.io/v1' } as const;
const group = 'gateway.networking.k8s.io';
const credentials = { 'gatewright.dev/credentials': 'true' };

const crowds = crowdedHosts.flatMap((host) => crowdObjects(hostnameOf(host, false), 'web'));

export interface Ports {
  readonly plain: number;
  readonly tls: number;
}

/** What no world changes: a Gateway with its listeners and those of a ListenerSet, which ask for certificates and take any. */
export const fixedObjects = (ports: Ports, { authorities, server }: ModelCertificates): object[] => [
  {
    ...api,
    kind: 'GatewayClass',
    metadata: { name: 'gatewright' },
    spec: { controllerName: 'gatewright.dev/gateway-controller' },
  },
  {
    ...api,
    kind: 'Gateway',
    metadata: { name: 'edge' },
    spec: {
      gatewayClassName: 'gatewright',
      allowedListeners: { namespaces: { from: 'Same' } },
      infrastructure: { parametersRef: { group: 'gatewright.dev', kind: 'DataPlane', name: 'edge' } },
      listeners: listenersOf(undefined, ports),
      tls: { frontend: { default: { validation } } },
    },
  },
  // Of a filter chain Envoy writes a warning for each part of its own that is new: thousands of lines at one change.
  {
    apiVersion: 'gatewright.dev/v1alpha1',
    kind: 'DataPlane',
    metadata: { name: 'edge' },
    spec: { logLevel: { agent: 'info', envoy: 'error' } },
  },
  {
    ...api,
    kind: 'ListenerSet',
    metadata: { name: 'more' },
    spec: { parentRef: { group, kind: 'Gateway', name: 'edge' }, listeners: listenersOf('more', ports) },
  },
  {
    apiVersion: 'gatewright.dev/v1alpha1',
    kind: 'ListenerPolicy',
    metadata: { name: 'hops' },
    spec: { targetRefs: [{ group, kind: 'Gateway', name: 'edge' }], clientIP: { trustedHops: 1 } },
  },
  {
    ...api,
    kind: 'ReferenceGrant',
    metadata: { name: 'access', namespace: 'granted' },
    spec: {
      from: [{ group: 'gatewright.dev', kind: 'AccessPolicy', namespace: 'default' }],
      to: [{ group: '', kind: 'Secret' }],
    },
  },
  ...frontendObjects(authorities, server),
  login,
  ...crowds,
];

/** For its sake the control plane makes the key of logins at once. It demands nothing of a route that is not there. */
const login = {
  apiVersion: 'gatewright.dev/v1alpha1',
  kind: 'AccessPolicy',
  metadata: { name: 'login' },
  spec: { targetRefs: [{ group, kind: 'HTTPRoute', name: 'none' }], oidc },
};

const validation = {
  caCertificateRefs: [{ group: '', kind: 'ConfigMap', name: 'authorities' }],
  mode: 'AllowInsecureFallback',
};

const listenersOf = (set: string | undefined, ports: Ports): object[] =>
  places
    .filter((place) => place.set === set)
    .flatMap(({ listener: name, hostname }) => {
      const shared = hostname === undefined ? {} : { hostname };
      const tls = { certificateRefs: [{ name: 'server' }] };
      return [
        { ...shared, name, port: ports.plain, protocol: 'HTTP' },
        { ...shared, name: `${name}-tls`, port: ports.tls, protocol: 'HTTPS', tls },
      ];
    });

/** What each world has of its own. */
export const objectsOf = ({ secrets, keySets, guards, hosts }: World): object[] => [
  ...Object.entries(secrets).map(([path, stringData]) => {
    const [name, namespace = 'default'] = path.split('/').reverse();
    return { apiVersion: 'v1', kind: 'Secret', metadata: { name, namespace, labels: credentials }, stringData };
  }),
  ...Object.entries(keySets).map(([name, signer]) => ({
    apiVersion: 'v1',
    kind: 'ConfigMap',
    metadata: { name },
    data: { 'jwks.json': signer === 'none' ? symmetricJwks : jwksOf(signer) },
  })),
  ...guards,
  ...hosts.flatMap((host, index) => [routeOf(index, host), ...host.policies]),
];

const parentOf = ({ set }: Place): object =>
  set === undefined ? { name: 'edge' } : { kind: 'ListenerSet', name: set };

/** What the rules `one` and `two` of a route match; the third matches everything else. */
const matches = {
  HTTPRoute: {
    one: [{ path: { type: 'PathPrefix', value: '/one' } }],
    two: [{ path: { type: 'PathPrefix', value: '/two' } }],
  },
  GRPCRoute: {
    one: [{ method: { service: 'one' } }],
    two: [{ method: { service: 'two', method: 'y' } }, { method: { type: 'RegularExpression', service: 'two' } }],
  },
};

const routeOf = (host: number, { kind, isWildcard }: Host): object => {
  const backendRefs = [{ name: kind === 'GRPCRoute' ? 'calls' : 'web', port: 80 }];
  return {
    ...api,
    kind,
    metadata: { name: `h${host}` },
    spec: {
      parentRefs: [parentOf(placeOf(host))],
      hostnames: [hostnameOf(host, isWildcard)],
      rules: [
        { name: 'one', matches: matches[kind].one, backendRefs },
        { name: 'two', matches: matches[kind].two, backendRefs },
        { backendRefs },
      ],
    },
  };
};

/** How many objects there are of a kind, with those that no world changes; and the world's mark. */
export type Counts = Readonly<
  Record<'state' | 'AccessPolicy' | 'Secret' | 'ConfigMap' | 'HTTPRoute' | 'GRPCRoute', string | number>
>;

/** What goes from a file goes later than what comes with it, so all is counted. */
export const countsOf = ({ secrets, keySets, guards, hosts }: World, state: string): Counts => ({
  state,
  AccessPolicy: guards.length + hosts.flatMap((host) => host.policies).length + 1,
  // Beside them are the certificate and the key of logins.
  Secret: Object.keys(secrets).length + 2,
  ConfigMap: Object.keys(keySets).length + 2,
  HTTPRoute: hosts.filter(({ kind }) => kind === 'HTTPRoute').length + crowds.length,
  GRPCRoute: hosts.filter(({ kind }) => kind === 'GRPCRoute').length,
});

/** By it a world is known that has been read. */
export const markOf = (state: string): object => ({
  apiVersion: 'v1',
  kind: 'ConfigMap',
  metadata: { name: 'state' },
  data: { 'jwks.json': state },
});
