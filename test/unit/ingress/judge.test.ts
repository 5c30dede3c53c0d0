import test from 'ava';
import { convert, judge } from '../../../src/ingress/index.ts';
import type { Judged } from '../../../src/ingress/judge/judge.ts';
import type { Verdict } from '../../../src/ingress/verdict.ts';
import { testCertificates } from '../../support/certificates.ts';
import { controller, convertOptions, ingress, worldOf } from '../../support/ingress-world.ts';

type Values = Readonly<Record<string, string>>;

const judged = (annotations: Values, config: Values = {}, ...more: readonly object[]): Judged => {
  const found = judge(worldOf(...controller(config), ingress('it', annotations), ...more)).ingresses.find(
    ({ key }) => key === 'shop/it',
  );
  if (found === undefined) throw new Error('it is not among the Ingresses');
  return found;
};

const verdictOf = ({ findings }: Judged, about: string): Verdict | undefined =>
  findings.find((finding) => finding.about === about)?.verdict;

const isBlocked = ({ findings }: Judged): boolean => findings.some(({ blocks }) => blocks);

const serviceOf = (name: string): object => ({
  apiVersion: 'v1',
  kind: 'Service',
  metadata: { name, namespace: 'shop' },
  spec: { ports: [{ port: 80 }] },
});

test('a default backend takes the place of Services without endpoints, and of none that does not exist', (t) => {
  const annotations = { 'default-backend': 'sorry' };
  const found = judged(annotations, {}, serviceOf('web'), serviceOf('sorry'));
  t.is(verdictOf(found, 'default-backend'), 'differs');
  t.like(found.part.backend, { failover: { backendRefs: [{ name: 'sorry', port: 80 }], belowHealthyPercent: 1 } });
  const said = judged(annotations, {}, serviceOf('sorry')).findings.find(({ verdict }) => verdict === 'decision');
  t.regex(said?.text ?? '', /^Service web, or its port, does not exist, and none takes its place/);
  t.is(verdictOf(judged(annotations, {}, serviceOf('web')), 'default-backend'), 'no-effect');
});

test('the default backend has the pages of errors, and one of the controller needs a grant', (t) => {
  const annotations = { 'custom-http-errors': '404, 503,301' };
  const own = judged({ ...annotations, 'default-backend': 'sorry' }, {}, serviceOf('web'), serviceOf('sorry'));
  t.is(verdictOf(own, 'custom-http-errors'), 'differs');
  const headers = [
    { name: 'X-Namespace', value: 'shop' },
    { name: 'X-Ingress-Name', value: 'it' },
    { name: 'X-Service-Name', value: 'web' },
    { name: 'X-Service-Port', value: '80' },
  ];
  const pages = (backendRef: object) => ({
    errorPages: [{ codes: [404, 503], service: { backendRef, headers, status: 'Service' } }],
  });
  t.like(own.part.traffic, pages({ name: 'sorry', port: 80 }));
  t.true(own.findings.some(({ text }) => text.startsWith('statuses below 400')));
  t.is(verdictOf(judged(annotations), 'custom-http-errors'), 'cannot');
  const off = { ...annotations, 'disable-proxy-intercept-errors': 'true' };
  t.is(judged(off, {}, serviceOf('web')).part.traffic?.errorPages, undefined);
  const global = judge(
    worldOf(
      ...controller({ 'custom-http-errors': '404,503' }, ['--default-backend-service=infra/sorry']),
      ingress('it'),
      serviceOf('web'),
      { ...serviceOf('sorry'), metadata: { name: 'sorry', namespace: 'infra' } },
    ),
  ).ingresses[0]?.part;
  t.like(global?.traffic, pages({ name: 'sorry', namespace: 'infra', port: 80 }));
  t.like(global?.grants?.[0], { from: 'TrafficPolicy', to: 'Service', namespace: 'infra', name: 'sorry' });
});

test('an Ingress for all other hosts goes before the default backend of the controller', (t) => {
  const flags = ['--default-backend-service=infra/sorry'];
  const sorry = { ...serviceOf('sorry'), metadata: { name: 'sorry', namespace: 'infra' } };
  const hasRoute = (...objects: readonly object[]) =>
    convert(judge(worldOf(...controller({}, flags), ...objects)), convertOptions).files.has(
      'infra/_default-backend.yaml',
    );
  t.true(hasRoute(sorry, ingress('it')));
  t.true(hasRoute(sorry, ingress('it', {}, { host: '', paths: ['/x'] })));
  t.false(hasRoute(sorry, ingress('it', {}, { host: '' })));
  t.false(hasRoute(ingress('it')), 'the Service does not exist');
});

test('an Ingress without annotations is the same', (t) => {
  t.like(judged({}), { verdict: 'same', findings: [] });
});

const values: readonly (readonly [annotations: Values, about: string, verdict: Verdict, part?: object])[] = [
  [{ 'proxy-body-size': '8m' }, 'proxy-body-size', 'same', { traffic: { requestBody: { maxBytes: '8Mi' } } }],
  [{ 'proxy-body-size': '0' }, 'proxy-body-size', 'same'],
  [{ 'proxy-body-size': '8 MB' }, 'proxy-body-size', 'no-effect'],
  [{ 'proxy-next-upstream': 'off' }, 'proxy-next-upstream', 'same', { traffic: { retry: { attempts: 0 } } }],
  [
    { 'proxy-next-upstream': 'error http_502 http_503', 'proxy-next-upstream-tries': '4' },
    'proxy-next-upstream',
    'differs',
    { traffic: { retry: { attempts: 3, codes: [502, 503] } } },
  ],
  [{ 'limit-rate': '100' }, 'limit-rate', 'same', { traffic: { bandwidth: { perRequest: { response: '100Ki' } } } }],
  [{ 'limit-connections': '3' }, 'limit-connections', 'differs'],
  [{ 'limit-connections': '3', 'limit-allowlist': '10.0.0.0/8' }, 'limit-connections', 'cannot'],
  [
    { 'proxy-redirect-from': 'http://a/', 'proxy-redirect-to': '/b/' },
    'proxy-redirect-from',
    'same',
    { traffic: { responseLocation: [{ from: 'http://a/', to: '/b/' }] } },
  ],
  [{ 'proxy-redirect-from': 'http://$host/', 'proxy-redirect-to': '/' }, 'proxy-redirect-from', 'cannot'],
  [
    { 'proxy-cookie-domain': 'internal example.com' },
    'proxy-cookie-domain',
    'same',
    { traffic: { responseCookies: { domain: [{ from: 'internal', to: 'example.com' }] } } },
  ],
  [{ 'proxy-cookie-path': '~^/a(.*) /$1' }, 'proxy-cookie-path', 'cannot'],
  [{ 'proxy-connect-timeout': '2' }, 'proxy-connect-timeout', 'same', { backend: { timeouts: { connect: '2s' } } }],
  [
    { 'upstream-hash-by': '$http_x_user$arg_id' },
    'upstream-hash-by',
    'same',
    {
      traffic: {
        hash: [
          { type: 'Header', name: 'x-user' },
          { type: 'QueryParam', name: 'id' },
        ],
      },
    },
  ],
  [{ 'upstream-hash-by': '$request_uri' }, 'upstream-hash-by', 'cannot'],
  [{ 'load-balance': 'ewma' }, 'load-balance', 'differs', { backend: { loadBalancer: { type: 'LeastRequest' } } }],
  [
    { 'permanent-redirect': 'https://New.example.com/a' },
    'permanent-redirect',
    'same',
    {
      answer: { regexRedirect: { hostname: 'new.example.com', substitution: '/a', statusCode: 301, stripQuery: true } },
    },
  ],
  [{ 'permanent-redirect': 'https://b.test/?a=1' }, 'permanent-redirect', 'cannot'],
  [
    { 'temporal-redirect': '/x', 'permanent-redirect': '/y' },
    'temporal-redirect',
    'same',
    { answer: { regexRedirect: { substitution: '/x', statusCode: 302 } } },
  ],
  [{ 'permanent-redirect': '/x', 'permanent-redirect-code': '300' }, 'permanent-redirect', 'cannot'],
  [{ 'upstream-vhost': 'in.example.com' }, 'upstream-vhost', 'same', { hostname: 'in.example.com' }],
  [{ 'upstream-vhost': '$service_name' }, 'upstream-vhost', 'cannot'],
  [
    { 'mirror-target': 'http://copy.shop.svc.cluster.local:8080$request_uri' },
    'mirror-target',
    'same',
    { mirror: { backendRef: { name: 'copy', port: 8080 } } },
  ],
  [{ 'mirror-target': 'https://elsewhere.example.com$request_uri' }, 'mirror-target', 'cannot'],
  [{ 'cors-allow-origin': 'https://b.test' }, 'cors-allow-origin', 'no-effect'],
  [{ 'enable-cors': 'yes' }, 'enable-cors', 'no-effect'],
  [{ 'enable-cors': 'true' }, 'cors-allow-credentials', 'differs'],
  [{ 'ssl-passthrough': 'true' }, 'ssl-passthrough', 'no-effect'],
  [{ 'proxy-boddy-size': '1m' }, 'proxy-boddy-size', 'no-effect'],
  [{ 'proxy-http-version': '1.1' }, 'proxy-http-version', 'same'],
  [{ 'backend-protocol': 'FCGI' }, 'backend-protocol', 'cannot'],
  [{ 'backend-protocol': 'AUTO_HTTP' }, 'backend-protocol', 'same', { backend: { useClientProtocol: true } }],
  [{ 'service-upstream': 'true' }, 'service-upstream', 'same', { backend: { addressing: 'Service' } }],
  [{ 'backend-protocol': 'GRPC' }, 'backend-protocol', 'differs', { backend: { useClientProtocol: true } }],
  [{ 'backend-protocol': 'HTTPS' }, 'backend-protocol', 'decision'],
];

for (const [annotations, about, verdict, part] of values)
  test(`${JSON.stringify(annotations)} is ${verdict}`, (t) => {
    const found = judged(annotations);
    t.is(verdictOf(found, about), verdict);
    if (part) t.like(found.part, part);
  });

test('a value that switches nothing on is nothing to decide', (t) => {
  for (const name of ['enable-cors', 'enable-modsecurity', 'canary', 'service-upstream', 'from-to-www-redirect'])
    t.is(judged({ [name]: 'false' }).verdict, 'same', name);
});

test('a limit lets through at once what the leaky bucket of nginx does', (t) => {
  const { part } = judged({ 'limit-rps': '1', 'limit-burst-multiplier': '3', 'limit-whitelist': '10.0.0.0/8' });
  t.deepEqual(part.buckets, [
    {
      name: 'per-second',
      match: { clientCIDRs: { exclude: ['10.0.0.0/8'] } },
      key: [{ type: 'ClientIP', v6Prefix: 128 }],
      limits: [{ requests: 1, per: '1s', burst: 4 }],
    },
  ]);
  t.is(part.limitStatus, 503);
});

test('addresses are networks without host bits, and those of the ConfigMap hold where an Ingress has none', (t) => {
  const own = judged({ 'whitelist-source-range': '10.1.2.3/8,192.0.2.7', 'denylist-source-range': '2001:db8::1/32' });
  t.deepEqual(own.part.access, { clientIPs: { allow: ['10.0.0.0/8', '192.0.2.7'], deny: ['2001:db8::/32'] } });
  t.deepEqual(judged({}, { 'whitelist-source-range': '10.0.0.0/8' }).part.access, {
    clientIPs: { allow: ['10.0.0.0/8'] },
  });
});

test('headers of auth-snippet are among those of the questions', (t) => {
  const found = judged(
    {
      'auth-url': 'http://auth.shop.svc.cluster.local/check',
      'auth-snippet':
        '# which one\nproxy_set_header X-App shop;\nproxy_set_header X-Page "$request_uri of $http_x_team";',
    },
    { 'annotations-risk-level': 'Critical' },
  );
  t.is(verdictOf(found, 'auth-snippet'), 'same');
  t.false(isBlocked(found));
  const { http } = (found.part.access?.forwardAuth ?? {}) as { http?: { setHeaders?: readonly object[] } };
  t.deepEqual(http?.setHeaders?.slice(-2), [
    { name: 'x-app', value: 'shop' },
    { name: 'x-page', value: '%REQ(:PATH)% of %REQ(x-team)%' },
  ]);
});

const [{ certificate, key }] = testCertificates;
const verifiedBackend = {
  'backend-protocol': 'HTTPS',
  'proxy-ssl-secret': 'shop/backends',
  'proxy-ssl-verify': 'on',
  'proxy-ssl-name': 'in.example.com',
};
const secretOf = (name: string, stringData: Values): object => ({
  apiVersion: 'v1',
  kind: 'Secret',
  metadata: { name, namespace: 'shop' },
  stringData,
});

test('backends are verified by the authority of the Secret, which is written into a ConfigMap', (t) => {
  const found = judged(verifiedBackend, {}, secretOf('backends', { 'ca.crt': certificate }));
  t.is(found.verdict, 'differs');
  t.is(verdictOf(found, 'proxy-ssl-server-name'), 'differs');
  for (const name of ['proxy-ssl-secret', 'proxy-ssl-verify', 'proxy-ssl-name']) t.is(verdictOf(found, name), 'same');
  t.deepEqual(found.part.backendAuthority, { name: 'backends-ca', certificates: certificate });
  t.deepEqual(found.part.backendTls, {
    validation: {
      caCertificateRefs: [{ group: '', kind: 'ConfigMap', name: 'backends-ca' }],
      hostname: 'in.example.com',
    },
  });
  const sends = { ...verifiedBackend, 'proxy-ssl-server-name': 'on' };
  t.is(judged(sends, {}, secretOf('backends', { 'ca.crt': certificate })).verdict, 'same');
});

for (const [what, values, data] of [
  ['no authority', {}, {}],
  ['a text that is no certificate', {}, { 'ca.crt': 'none' }],
  ['no name', { 'proxy-ssl-name': '' }, { 'ca.crt': certificate }],
] as const)
  test(`with ${what}, backends are not reached before an authority is written`, (t) => {
    const found = judged({ ...verifiedBackend, ...values }, {}, secretOf('backends', data));
    t.is(verdictOf(found, 'backend-protocol'), 'decision');
    t.is(found.part.backendAuthority, undefined);
    t.truthy(found.part.backendTls?.validation);
  });

test('the certificate that backends are shown is the Gateway’s, where all Ingresses name the same', (t) => {
  const data = { 'ca.crt': certificate, 'tls.crt': certificate, 'tls.key': key };
  const verdicts = (...others: readonly object[]) =>
    verdictOf(judged(verifiedBackend, {}, secretOf('backends', data), ...others), 'proxy-ssl-secret');
  t.is(verdicts(), 'differs');
  const other = ingress('other', { ...verifiedBackend, 'proxy-ssl-secret': 'shop/more' });
  t.is(verdicts(other, secretOf('more', data)), 'decision');
  t.is(verdicts(other, secretOf('more', { 'ca.crt': certificate })), 'differs');
});

/** What keeps requests out and has no equivalent here. */
const lost: readonly (readonly [annotations: Values, config?: Values])[] = [
  [{ 'auth-url': 'https://auth.example.com/check/$arg_x' }],
  [{ 'auth-url': 'https://auth.shop.svc.cluster.local/check' }],
  [{ 'auth-url': 'https://auth/check' }],
  [{ 'auth-url': 'https://10.0.0.1/check' }],
  [{ 'auth-url': 'http://auth.shop.svc.cluster.local/check?group=$arg_x' }],
  [{ 'auth-url': 'http://auth.shop.svc.cluster.local/check', 'auth-snippet': 'proxy_pass_request_body on;' }],
  [
    {
      'auth-url': 'http://auth.shop.svc.cluster.local/check',
      'auth-snippet': 'proxy_set_header X-Key $ssl_client_cert;',
    },
  ],
  [{ 'auth-url': 'http://auth.shop.svc.cluster.local/check', 'auth-snippet': 'proxy_set_header X-Real-IP 10.0.0.1;' }],
  [{ 'auth-url': 'http://auth.shop.svc.cluster.local/check', 'auth-snippet': 'proxy_set_header Host in.test;' }],
  [{}, { 'global-auth-url': 'https://$arg_x.example.com/check' }],
  [{ 'auth-type': 'digest', 'auth-secret': 'users' }],
  [{ 'auth-type': 'basic', 'auth-secret': 'users', 'auth-secret-type': 'auth-map' }],
  [{ 'auth-type': 'basic' }],
  [{ 'auth-tls-secret': 'shop/authorities' }],
  [{ 'whitelist-source-range': 'localhost' }],
  [{ 'denylist-source-range': '10.0.0.0/40' }],
  [
    {
      satisfy: 'any',
      'whitelist-source-range': '10.0.0.0/8',
      'auth-url': 'http://auth.shop.svc.cluster.local/check',
      'auth-type': 'basic',
      'auth-secret': 'users',
    },
  ],
  [{ 'auth-type': 'basic', 'auth-secret': 'other/users' }],
  [{ 'enable-modsecurity': 'true' }],
  [{}, { 'enable-modsecurity': 'true' }],
  [{ 'configuration-snippet': 'deny all;' }, { 'annotations-risk-level': 'Critical' }],
  [
    { 'configuration-snippet': 'allow 10.0.0.0/8; deny all;', 'whitelist-source-range': '10.0.0.0/16' },
    { 'annotations-risk-level': 'Critical' },
  ],
  [
    { 'configuration-snippet': 'allow 10.0.0.0/8; deny all;' },
    { 'annotations-risk-level': 'Critical', 'location-snippet': 'access_log off; allow 10.1.0.0/16;' },
  ],
  [
    { 'configuration-snippet': 'allow 10.0.0.0/8; deny all;', satisfy: 'any' },
    { 'annotations-risk-level': 'Critical' },
  ],
  [{ 'configuration-snippet': 'if ($arg_key != "a") { return 403; }' }, { 'annotations-risk-level': 'Critical' }],
  [{ 'configuration-snippet': 'access_by_lua_block { ngx.exit(403) }' }, { 'annotations-risk-level': 'Critical' }],
  [{ 'server-snippet': 'location = /admin { deny all; }' }, { 'annotations-risk-level': 'Critical' }],
  [{}, { 'location-snippet': 'deny 10.0.0.0/8;' }],
  [{}, { 'server-snippet': 'if ($http_user_agent ~* bad) { return 403; }' }],
  [{}, { 'http-snippet': 'map $a $b { default 1; } deny 192.0.2.1;' }],
  [{ 'auth-type': 'bearer', 'auth-secret': 'users' }],
  [{ 'whitelist-source-range': '10.0.0/8' }, { 'whitelist-source-range': '10.0.0.0/8' }],
];

for (const [annotations, config = {}] of lost)
  test(`${JSON.stringify([annotations, config])} blocks, since it may keep requests out`, (t) => {
    t.true(isBlocked(judged(annotations, config)));
  });

test('what the ConfigMap demands of all can be switched off by an Ingress', (t) => {
  t.false(
    isBlocked(judged({ 'enable-global-auth': 'false' }, { 'global-auth-url': 'https://auth.example.com/check' })),
  );
});

test('text of the ConfigMap that lets nothing in or out closes nothing', (t) => {
  t.false(
    isBlocked(
      judged(
        {},
        { 'http-snippet': 'map $a $b { default 1; }\nlog_format x y;', 'location-snippet': 'access_log off;' },
      ),
    ),
  );
  t.false(isBlocked(judged({ 'whitelist-source-range': ' ' })));
});

test('a snippet for a whole server closes the paths of its neighbours too', (t) => {
  const snippet = { 'server-snippet': 'deny all;' };
  const critical = { 'annotations-risk-level': 'Critical' };
  for (const text of [
    'deny all;',
    'return 403;',
    'return 301 https://b.test$request_uri;',
    'rewrite ^ https://b.test/ permanent;',
  ])
    t.true(isBlocked(judged({}, critical, ingress('by', { 'server-snippet': text }, { paths: ['/x'] }))), text);
  t.false(isBlocked(judged({}, critical, ingress('by', snippet, { host: 'other.test' }))));
  t.false(isBlocked(judged({}, {}, ingress('by', snippet, { paths: ['/x'] }))), 'it is not served');
});

test('a host whose authorities cannot be used closes its neighbours too', (t) => {
  t.true(isBlocked(judged({}, {}, ingress('by', { 'auth-tls-secret': '!' }, { paths: ['/x'] }))));
});

test('the questions of a certificate authority need no login of all', (t) => {
  const world = worldOf(
    ...controller({ 'global-auth-url': 'https://$arg_x.example.com/check' }),
    ingress('it', {}, { paths: ['/.well-known/acme-challenge/token'] }),
    ingress('other', {}, { paths: ['/x'] }),
  );
  t.deepEqual(
    judge(world).ingresses.map((each) => [each.key, isBlocked(each)]),
    [
      ['shop/it', false],
      ['shop/other', true],
    ],
  );
});

test('a host that gets the default certificate of nginx is to be decided, unless a certificate is for it', (t) => {
  const at = (...tls: readonly object[]) =>
    judge(worldOf(...controller(), ingress('it', {}, { more: { tls } }), ...secrets)).ingresses[0];
  const [{ certificate, key }] = testCertificates;
  const secret = {
    apiVersion: 'v1',
    kind: 'Secret',
    metadata: { name: 'a-example', namespace: 'shop' },
    stringData: { 'tls.crt': certificate, 'tls.key': key },
  };
  const secrets = [secret, { ...secret, metadata: { name: 'own', namespace: 'shop' } }];
  const https = 'HTTPS of a.test';
  t.is(verdictOf(at({ hosts: ['a.test'], secretName: 'own' }) as Judged, https), undefined);
  t.is(verdictOf(at({ hosts: ['b.test'], secretName: 'own' }) as Judged, https), 'decision');
  t.is(verdictOf(at({ secretName: 'own' }) as Judged, https), 'decision', 'its certificate is for another host');
  t.is(verdictOf(at({ hosts: ['a.test'] }) as Judged, https), 'decision');
  t.is(verdictOf(at() as Judged, https), undefined);
});

test('addresses or a password is a choice here too', (t) => {
  const { part, findings } = judged({
    satisfy: 'any',
    'whitelist-source-range': '10.0.0.0/8',
    'auth-type': 'basic',
    'auth-secret': 'users',
    'auth-realm': 'staff',
  });
  t.deepEqual(part.access, {
    satisfy: 'Any',
    clientIPs: { allow: ['10.0.0.0/8'] },
    basicAuth: { secretRef: { name: 'users', key: 'auth' }, realm: 'staff' },
  });
  t.false(findings.some(({ blocks }) => blocks));
});

test('users with a hash that proxies cannot check are named', (t) => {
  const stringData = { auth: 'ann:$2y$10$abc\nbob:$apr1$abc\neve:Xq1\n# a comment\n' };
  const secret = { apiVersion: 'v1', kind: 'Secret', metadata: { name: 'users', namespace: 'shop' }, stringData };
  const { findings } = judged({ 'auth-type': 'basic', 'auth-secret': 'users' }, {}, secret);
  t.regex(findings.find(({ about }) => about === 'auth-secret')?.text ?? '', /new hash, by `htpasswd -B`: eve$/);
});

test('a server that is asked by the host itself is the Service behind that path', (t) => {
  const proxy = ingress('oauth', {}, { paths: ['/oauth2'], service: 'oauth2-proxy' });
  const { part, findings } = judged(
    {
      'auth-url': 'https://$host/oauth2/auth',
      'auth-signin': 'https://$host/oauth2/start?rd=$escaped_request_uri',
      'auth-response-headers': 'X-User, X-Groups',
    },
    {},
    proxy,
  );
  t.deepEqual(part.access, {
    forwardAuth: {
      backendRef: { name: 'oauth2-proxy', port: 80 },
      http: {
        path: '/oauth2/auth',
        method: 'GET',
        allowWith: 'Successful',
        requestHeaders: ['cookie'],
        setHeaders: questionHeaders,
        toBackend: ['x-user', 'x-groups'],
        toClient: ['set-cookie'],
      },
      signIn: { url: '/oauth2/start' },
    },
  });
  t.false(findings.some(({ verdict }) => verdict === 'decision' || verdict === 'cannot'));
});

/** What nginx says of the request to each server that it asks. */
const questionHeaders = [
  { name: 'x-original-method', value: '%REQ(:METHOD)%' },
  { name: 'x-auth-request-redirect', value: '%REQ(:PATH)%' },
  { name: 'x-sent-from', value: 'nginx-ingress-controller' },
  { name: 'x-real-ip', value: '%DOWNSTREAM_REMOTE_ADDRESS_WITHOUT_PORT%' },
];

const server = { 'auth-url': 'http://auth.shop.svc.cluster.local/check?group=a' };

test('an address or the consent of a server is a choice here too', (t) => {
  const lists = { 'whitelist-source-range': '10.0.0.0/8', 'denylist-source-range': '10.6.6.0/24' };
  const { part, findings } = judged({ ...server, ...lists, satisfy: 'any' });
  t.like(part.access, {
    clientIPs: { deny: ['10.6.6.0/24'] },
    forwardAuth: { exceptClientIPs: ['10.0.0.0/8'], http: { path: '/check?group=a' } },
  });
  t.false(findings.some(({ blocks }) => blocks));
  const both = judged({ ...server, ...lists }).part.access ?? {};
  t.false('exceptClientIPs' in (both.forwardAuth as object));
});

test('what is said to the server beside the usual is said here too, or named', (t) => {
  const data = {
    'X-Team': 'shop $http_x_team',
    'X-Odd': '$upstream_addr',
    Host: 'other.test',
    'X-Forwarded-For': 'me',
  };
  const configMap = { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'asks', namespace: 'shop' }, data };
  const { part, findings } = judged(
    {
      ...server,
      'auth-method': 'head',
      'auth-request-redirect': 'https://$host$request_uri',
      'auth-proxy-set-headers': 'asks',
    },
    {},
    configMap,
  );
  const { access = {} } = part;
  const { http } = access.forwardAuth as never as {
    http: { method: string; setHeaders: { name: string; value: string }[] };
  };
  t.is(http.method, 'HEAD');
  t.deepEqual(
    http.setHeaders.filter(({ name }) => /team|odd|host|redirect|forwarded/.test(name)),
    [
      { name: 'x-auth-request-redirect', value: 'https://%REQ(:AUTHORITY)%%REQ(:PATH)%' },
      { name: 'x-team', value: 'shop %REQ(x-team)%' },
    ],
  );
  t.deepEqual(
    findings.filter(({ verdict }) => verdict === 'decision').map(({ text }) => text.replace(/:.*$/, '')),
    ['x-odd', 'host', 'x-forwarded-for'],
  );
  t.like(
    judged({ ...server, 'auth-method': 'PUT' }).findings.find(({ about }) => about === 'auth-method'),
    { verdict: 'differs' },
  );
});

test('a server outside is an XBackend, which is reached by TLS if the URL says so', (t) => {
  const of = (url: string) => judged({ 'auth-url': url }).part;
  t.deepEqual(of('https://ID.example.com/a?b=c').external, [{ hostname: 'id.example.com', port: 443, isTls: true }]);
  t.deepEqual(of('http://id.example.com:8080').external, [{ hostname: 'id.example.com', port: 8080, isTls: false }]);
});

test('a neighbour of the host decides for its paths, and is named', (t) => {
  const { findings } = judged({}, {}, ingress('regex', { 'use-regex': 'true' }, { paths: ['/x'] }));
  t.like(findings[0], { about: 'use-regex', verdict: 'same' });
  t.regex(findings[0]?.text ?? '', /^Ingress shop\/regex makes all paths of a\.test expressions/);
  const guarded = judged({}, {}, ingress('certificates', { 'auth-tls-secret': 'shop/ca' }, { paths: ['/x'] }));
  t.true(isBlocked(guarded));
  t.regex(guarded.findings[0]?.text ?? '', /by Ingress shop\/certificates/);
});

test('of two Ingresses for one path the one that answers today answers, and the other is named', (t) => {
  const { findings } = judged({}, {}, ingress('zz'));
  t.like(findings[0], { verdict: 'no-effect', about: 'path /' });
  t.regex(findings[0]?.text ?? '', /answered by Ingress shop\/zz today/);
});

test('a snippet above the risk level keeps its Ingress from being served', (t) => {
  t.is(judged({ 'configuration-snippet': 'more_set_headers "a: b";' }).verdict, 'not-served');
});

test('annotations of other controllers are ignored there too', (t) => {
  const other = { ...(ingress('it') as { readonly metadata: object }) };
  const annotations = { 'nginx.org/rewrites': 'x', 'example.com/mine': 'y' };
  const world = worldOf(...controller(), { ...other, metadata: { ...other.metadata, annotations } });
  t.deepEqual(
    judge(world).ingresses[0]?.findings.map(({ about, verdict }) => [about, verdict]),
    [['nginx.org/rewrites', 'no-effect']],
  );
});
