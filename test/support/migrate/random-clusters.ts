import fc from 'fast-check';
import type { KubernetesObject } from '../../../src/gateway-api/index.ts';
import type { Cluster } from './corpus.ts';

/** Clusters made at random, the same of one seed: Ingresses as people write them, with what they get wrong. */
export const randomClusters = (seed: number, count: number): readonly Cluster[] =>
  fc.sample(cluster, { seed, numRuns: count });

const prefix = 'nginx.ingress.kubernetes.io';
const shortPaths = ['/', '/x', '/x/', '/x/y', '/api', '/API', '/api/v1', '/a-b', '/x.html'] as const;
const expressions = [
  '/api(/|$)(.*)',
  '/re/.*',
  '/v[0-9]+/(.+)',
  '/x/?(.*)',
  '/(a|b)/c',
  '/end$',
  '/a b',
  '/q\\.php',
] as const;
const services = ['web', 'api', 'new', 'silent', 'absent'] as const;
/** Of canaries: one of its own, else one that is a primary too. */
const canaryServices = ['beta', 'beta', 'new'] as const;

/** What an Ingress may say, most of it usable. */
const choices: Readonly<Record<string, fc.Arbitrary<string>>> = {
  'ssl-redirect': fc.constantFrom('true', 'false'),
  'force-ssl-redirect': fc.constantFrom('true', 'false'),
  'preserve-trailing-slash': fc.constant('true'),
  'app-root': fc.constantFrom('/home', '/x/y'),
  'permanent-redirect': fc.constantFrom('https://new.example.com/x', 'http://old.example.com', '/there'),
  'temporal-redirect': fc.constantFrom('https://soon.example.com/', 'https://soon.example.com:8443/y'),
  'permanent-redirect-code': fc.constantFrom('308', '301', '302', '999'),
  'from-to-www-redirect': fc.constant('true'),
  'use-regex': fc.constantFrom('true', 'false'),
  'rewrite-target': fc.constantFrom('/$1', '/$2', '/new', '/', '/x/$1/$2', '/api', '/$1?b'),
  'x-forwarded-prefix': fc.constantFrom('/x', '/p'),
  'upstream-vhost': fc.constantFrom('in.test', 'in.test.svc'),
  'server-alias': fc.constantFrom('alias.test', 'alias.test, other.test', 'b.test', '~^re[0-9]\\.test$'),
  'enable-cors': fc.constantFrom('true', 'false'),
  'cors-allow-origin': fc.constantFrom('*', 'https://a.example', 'https://*.b.example, https://c.example:8443'),
  'cors-allow-credentials': fc.constantFrom('true', 'false'),
  'cors-allow-methods': fc.constantFrom('GET', 'GET, PUT, OPTIONS'),
  'cors-allow-headers': fc.constantFrom('X-One', 'X-One,X-Two'),
  'cors-expose-headers': fc.constant('X-Three'),
  'cors-max-age': fc.constantFrom('0', '600'),
  'whitelist-source-range': fc.constantFrom('10.0.0.0/8', '127.0.0.0/8,10.1.2.3', '192.0.2.1/24', 'localhost'),
  'denylist-source-range': fc.constantFrom('127.0.0.1', '192.0.2.0/24'),
  'auth-type': fc.constantFrom('basic', 'digest'),
  'auth-secret': fc.constantFrom('users', 'lost'),
  'auth-realm': fc.constantFrom('Staff only', 'Staff'),
  satisfy: fc.constantFrom('any', 'all'),
  'auth-url': fc.constantFrom(
    'http://api.shop.svc.cluster.local/check',
    'http://api.shop.svc.cluster.local/check?of=staff',
  ),
  'proxy-body-size': fc.constantFrom('1k', '8k', '0', '2m'),
  'proxy-read-timeout': fc.constantFrom('60', '600'),
  'proxy-connect-timeout': fc.constant('10'),
  'proxy-next-upstream': fc.constantFrom('error timeout http_502', 'off'),
  'limit-rps': fc.constant('100000'),
  'upstream-hash-by': fc.constantFrom('$remote_addr', '$http_x_user', '$request_uri'),
  affinity: fc.constant('cookie'),
  'session-cookie-name': fc.constantFrom('place', 'route'),
  'load-balance': fc.constantFrom('ewma', 'round_robin'),
  'proxy-buffering': fc.constant('on'),
  'custom-http-errors': fc.constant('404,503'),
  'default-backend': fc.constantFrom('new', 'absent'),
  'enable-access-log': fc.constant('false'),
  'proxy-cookie-path': fc.constant('/one/ /two/'),
  'backend-protocol': fc.constantFrom('GRPC', 'AUTO_HTTP', 'HTTP'),
  'auth-snippet': fc.constantFrom(
    'proxy_set_header X-App shop;',
    'proxy_set_header X-Page $request_uri;',
    'proxy_buffering off;',
  ),
  'mirror-target': fc.constant('http://new.shop.svc.cluster.local$request_uri'),
  'configuration-snippet': fc.constantFrom(
    'more_set_headers "X-Frame-Options: DENY";',
    'deny 10.0.0.0/8;\nallow all;',
    'if ($http_x_old) { return 410; }',
    'if ($request_method = POST) { return 405; }',
    'if ($request_method !~ ^(GET|POST|OPTIONS)$) { return 403; }',
    'rewrite ^/x/(.*)$ /$1 break;',
    'rewrite ^/x last;',
  ),
  'server-snippet': fc.constantFrom('location = /robots.txt { return 200 "x"; }', 'client_max_body_size 8k;'),
};

const annotations = fc
  .uniqueArray(fc.constantFrom(...Object.keys(choices)), { maxLength: 4 })
  .chain((names) => fc.record(Object.fromEntries(names.map((name) => [name, choices[name] as fc.Arbitrary<string>]))));

const canary = fc.record(
  {
    'canary-weight': fc.constantFrom('0', '20', '100'),
    'canary-by-header': fc.constant('x-beta'),
    'canary-by-header-value': fc.constant('yes'),
    'canary-by-header-pattern': fc.constantFrom('eu|us', '^a'),
    'canary-by-cookie': fc.constant('beta'),
  },
  { requiredKeys: [] },
);

const usual = <T>(value: T, ...others: readonly fc.Arbitrary<T>[]): fc.Arbitrary<T> =>
  fc.oneof({ weight: 3, arbitrary: fc.constant(value) }, ...others);

const path = fc.record({
  path: fc.oneof(
    { weight: 4, arbitrary: fc.constantFrom<string>(...shortPaths) },
    { weight: 1, arbitrary: fc.constantFrom<string>(...expressions) },
  ),
  pathType: fc.constantFrom('Prefix', 'Exact', 'ImplementationSpecific'),
  service: fc.oneof({ weight: 4, arbitrary: fc.constantFrom('web', 'api', 'new') }, fc.constantFrom(...services)),
  isNamed: fc.boolean(),
});

const ingress = fc.record({
  namespace: usual('shop', fc.constant('other')),
  created: fc.constantFrom('2026-01-01T00:00:00Z', '2026-01-02T00:00:00Z'),
  host: fc.constantFrom('a.test', 'a.test', 'b.test', 'www.b.test', '*.w.test', 'x.w.test', 'c.test', ''),
  paths: fc.uniqueArray(path, { minLength: 1, maxLength: 3, selector: (each) => each.path }),
  annotations,
  canary: usual(undefined, fc.constant(undefined), canary),
  canaryService: fc.constantFrom(...canaryServices),
  isSecure: fc.boolean(),
  fallback: usual(undefined, fc.constantFrom('new', 'silent')),
});

type Drawn = typeof ingress extends fc.Arbitrary<infer T> ? T : never;

const settings = fc.constantFrom<Readonly<Record<string, string>>>(
  {},
  {},
  { hsts: 'false' },
  { 'ssl-redirect': 'false', 'hsts-max-age': '60' },
  { 'http-redirect-code': '301', 'preserve-trailing-slash': 'true' },
  { 'annotations-risk-level': 'Critical', 'allow-snippet-annotations': 'true' },
  { 'annotations-risk-level': 'Critical', 'hsts-include-subdomains': 'false' },
  { 'proxy-body-size': '8k' },
  { 'denylist-source-range': '192.0.2.0/24', 'use-gzip': 'true' },
  { 'force-ssl-redirect': 'true' },
);

const cluster: fc.Arbitrary<Cluster> = fc
  .record({ ingresses: fc.array(ingress, { minLength: 2, maxLength: 7 }), settings })
  .map(({ ingresses, settings: given }) => ({
    settings: given,
    objects: [...ingresses.map(ingressObject), ...['shop', 'other'].flatMap(servicesOf)] as KubernetesObject[],
    silent: new Set(['shop/silent', 'other/silent']),
  }));

function ingressObject({ namespace, created, host, paths, fallback, isSecure, ...drawn }: Drawn, at: number): object {
  const isCanary = drawn.canary !== undefined;
  const said = isCanary ? { canary: 'true', ...drawn.canary } : drawn.annotations;
  const service = (name: string, isNamed: boolean) => ({
    service: { name: isCanary ? drawn.canaryService : name, port: isNamed ? { name: 'http' } : { number: 80 } },
  });
  return {
    apiVersion: 'networking.k8s.io/v1',
    kind: 'Ingress',
    metadata: {
      name: `it-${at}`,
      namespace,
      creationTimestamp: created,
      annotations: Object.fromEntries(Object.entries(said).map(([name, value]) => [`${prefix}/${name}`, value])),
    },
    spec: {
      ingressClassName: 'nginx',
      ...(fallback !== undefined && { defaultBackend: service(fallback, false) }),
      ...(isSecure && host !== '' && { tls: [{ hosts: [host], secretName: 'certificate' }] }),
      rules: [
        {
          ...(host !== '' && { host }),
          http: {
            paths: paths.map(({ path: text, pathType, service: name, isNamed }) => ({
              path: text,
              pathType,
              // Of a Service that does not exist no port has a number.
              backend: service(name, isNamed && name !== 'absent'),
            })),
          },
        },
      ],
    },
  };
}

const servicesOf = (namespace: string): readonly object[] => [
  ...['web', 'api', 'new', 'beta', 'silent'].map((name) => ({
    apiVersion: 'v1',
    kind: 'Service',
    metadata: { name, namespace },
    spec: { ports: [{ name: 'http', port: 80 }] },
  })),
  {
    apiVersion: 'v1',
    kind: 'Secret',
    metadata: { name: 'users', namespace },
    // The password is `secret`.
    stringData: { auth: 'staff:$2y$05$c4WoMPo3SXsafkva.HHa6uXQZWr7oboPiC2bT/r7q1BB8I2s0BRqC\n' },
  },
];
