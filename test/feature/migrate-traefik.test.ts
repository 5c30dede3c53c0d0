import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import test, { type ExecutionContext } from 'ava';
import { parseAllDocuments, stringify } from 'yaml';
import { runCommand } from '../support/command.ts';
import { runProgram } from '../support/program.ts';
import { thorough } from '../support/repetitions.ts';

const world = readFileSync(new URL('../support/migrate/traefik.yaml', import.meta.url), 'utf8');

/** A directory with what is read, and one that is not there yet. */
function foldersOf(t: ExecutionContext, text: string) {
  const folder = mkdtempSync(join(tmpdir(), 'gatewright-convert-'));
  t.teardown(() => rmSync(folder, { recursive: true }));
  writeFileSync(join(folder, 'world.yaml'), text);
  return { input: join(folder, 'world.yaml'), out: join(folder, 'out') };
}

const args = (input: string, out: string, ...more: readonly string[]) => [
  'migrate',
  'convert',
  '--from',
  'traefik',
  '--gateway',
  'infra/edge',
  '-f',
  input,
  '--out',
  out,
  ...more,
];

const own = (kind: string, name: string, spec: unknown) => ({
  apiVersion: 'traefik.io/v1alpha1',
  kind,
  metadata: { name, namespace: 'shop' },
  spec,
});
const textOf = (...objects: readonly object[]) => objects.map((object) => stringify(object)).join('---\n');

interface Made {
  readonly kind: string;
  readonly metadata: { readonly name: string };
  readonly spec: object;
}
const madeIn = (out: string, file: string): readonly Made[] =>
  parseAllDocuments(readFileSync(join(out, file), 'utf8')).map((document) => document.toJS() as Made);

const route = (name: string, rule: string, more: object = {}, spec: object = {}) =>
  own('IngressRoute', name, {
    entryPoints: ['web'],
    routes: [{ kind: 'Rule', match: rule, services: [{ name: 'web', port: 80 }], ...more }],
    ...spec,
  });

test('the program converts objects of Traefik, names what is closed, and writes the same again', async (t) => {
  const { input, out } = foldersOf(t, world);
  const { code, stdout, stderr } = await runProgram(args(input, out));
  t.is(code, 1);
  t.regex(stdout, /^\d+ objects converted into 7 files of /);
  t.regex(stderr, /IngressRoute\/shop\/shop is not converted/);
  const report = readFileSync(join(out, 'report.md'), 'utf8');
  t.regex(report, /plugins of Traefik are not run here/);
  t.is((await runCommand(['validate', '--no-with-references', out])).code, 0);
  await runCommand(args(input, out));
  t.is(readFileSync(join(out, 'report.md'), 'utf8'), report);
});

thorough(test)('failover becomes that of a BackendPolicy, across namespaces with a grant', async (t) => {
  const service = (name: string, spec: object, namespace = 'infra') => ({
    ...own('TraefikService', name, spec),
    metadata: { name, namespace },
  });
  const at = (name: string) =>
    route(name, `Host(\`${name}.test\`)`, { services: [{ kind: 'TraefikService', name, namespace: 'infra' }] });
  const many = {
    weighted: {
      services: [
        { name: 'web', port: 80, weight: 1 },
        { name: 'new', port: 80, weight: 3 },
      ],
    },
  };
  const { input, out } = foldersOf(
    t,
    textOf(
      service('one', {
        failover: { service: { name: 'web', port: 80 }, fallback: { name: 'spare', namespace: 'shop', port: 81 } },
      }),
      service('two', { failover: { service: { name: 'web', port: 80 }, fallback: { name: 'new', port: 80 } } }),
      service('three', {
        failover: {
          service: { name: 'api', port: 80 },
          fallback: { kind: 'TraefikService', name: 'many' },
          errors: { status: ['500-599'] },
        },
      }),
      service('four', {
        failover: { service: { kind: 'TraefikService', name: 'many' }, fallback: { name: 'api', port: 80 } },
      }),
      service('many', many),
      ...['one', 'two', 'three', 'four'].map(at),
    ),
  );
  t.is((await runCommand(args(input, out))).code, 1);
  const policies = madeIn(out, 'infra/_services.yaml').map(({ metadata, spec }) => [metadata.name, spec]);
  const target = (name: string) => ({ targetRefs: [{ group: '', kind: 'Service', name }] });
  t.deepEqual(policies, [
    [
      'api',
      {
        ...target('api'),
        failover: {
          backendRefs: [
            { name: 'web', port: 80 },
            { name: 'new', port: 80 },
          ],
        },
      },
    ],
    ['web', { ...target('web'), failover: { backendRefs: [{ name: 'spare', namespace: 'shop', port: 81 }] } }],
  ]);
  t.like(madeIn(out, 'shop/_grants.yaml').find(({ metadata }) => metadata.name.startsWith('spare-'))?.spec, {
    from: [{ group: 'gatewright.dev', kind: 'BackendPolicy', namespace: 'infra' }],
  });
  const [made] = madeIn(out, 'shop/ingressroute-one.yaml') as readonly {
    readonly spec: { readonly rules: readonly object[] };
  }[];
  t.like(made?.spec.rules[0], { backendRefs: [{ name: 'web', namespace: 'infra', port: 80 }] }, 'in its own namespace');
  const report = readFileSync(join(out, 'report.md'), 'utf8');
  for (const text of [
    /Service infra\/web has one failover, and rules want different ones/,
    /the Services of the fallback are tried one after the other/,
    /answers of a backend move no requests/,
    /several backends share the requests, and failover is of one/,
  ])
    t.regex(report, text);
  t.is((await runCommand(['validate', '--no-with-references', out])).code, 0);
});

thorough(test)(
  'certificates, streams, transports and options of TLS have a place, and what is written is valid',
  async (t) => {
    const tls = { tls: { secretName: 'web-tls', options: { name: 'modern' } } };
    const { input, out } = foldersOf(
      t,
      textOf(
        route(
          'secure',
          'Host(`a.test`)',
          { services: [{ name: 'web', port: 443, scheme: 'https', serversTransport: 'inside' }] },
          tls,
        ),
        own('TLSOption', 'modern', { minVersion: 'VersionTLS13', curvePreferences: ['CurveP256'] }),
        own('TLSStore', 'default', { defaultCertificate: { secretName: 'other-tls' } }),
        own('ServersTransport', 'inside', { serverName: 'web.inside', insecureSkipVerify: true }),
        own('IngressRouteTCP', 'db', {
          entryPoints: ['postgres'],
          routes: [
            { match: 'HostSNI(`*`)', middlewares: [{ name: 'office' }], services: [{ name: 'db', port: 5432 }] },
          ],
        }),
        own('MiddlewareTCP', 'office', { ipAllowList: { sourceRange: ['10.0.0.0/8'] } }),
        own('IngressRouteTCP', 'sni', {
          entryPoints: ['mail'],
          routes: [{ match: 'HostSNI(`mail.test`)', services: [{ name: 'mail', port: 993 }] }],
          tls: { passthrough: true },
        }),
        own('IngressRouteUDP', 'dns', { entryPoints: ['dns'], routes: [{ services: [{ name: 'dns', port: 53 }] }] }),
      ),
    );
    const ports = ['--entry-point', 'postgres=5432', '--entry-point', 'mail=993', '--entry-point', 'dns=53'];
    const { code, stderr } = await runCommand(args(input, out, ...ports));
    t.is(code, 0, stderr);
    t.is((await runCommand(['validate', '--no-with-references', out])).code, 0);
    const [gateway, grant] = madeIn(out, 'gateway.yaml');
    t.like(gateway?.spec, {
      listeners: [
        { name: 'http' },
        { name: 'https', tls: { certificateRefs: [{ name: 'other-tls', namespace: 'shop' }] } },
        { name: 'postgres', port: 5432, protocol: 'TCP' },
        { name: 'mail', port: 993, protocol: 'TLS', tls: { mode: 'Passthrough' } },
        { name: 'dns', port: 53, protocol: 'UDP' },
      ],
    });
    t.is(grant?.kind, 'ReferenceGrant');
    const [listeners] = madeIn(out, 'shop/_listeners.yaml');
    t.like(listeners?.spec, { listeners: [{ hostname: 'a.test', tls: { certificateRefs: [{ name: 'web-tls' }] } }] });
    t.like(madeIn(out, 'shop/tlsoption-modern.yaml')[0]?.spec, { tls: { minVersion: '1.3', curves: ['P-256'] } });
    t.deepEqual(
      madeIn(out, 'shop/_services.yaml').map(({ kind }) => kind),
      ['BackendPolicy', 'BackendTLSPolicy'],
    );
    const [tcp, access] = madeIn(out, 'shop/ingressroutetcp-db.yaml');
    t.is(tcp?.kind, 'TCPRoute');
    t.like(access?.spec, { clientIPs: { allow: ['10.0.0.0/8'] } });
  },
);

test('a port that is not known, and a rule that has no word, are named', async (t) => {
  const udp = own('IngressRouteUDP', 'dns', {
    entryPoints: ['dns'],
    routes: [{ services: [{ name: 'dns', port: 53 }] }],
  });
  const { input, out } = foldersOf(
    t,
    textOf(udp, route('not', 'Host(`a.test`) && !Path(`/x`)'), route('broken', 'Host(`a.test`')),
  );
  t.is((await runCommand(args(input, out))).code, 1);
  const report = readFileSync(join(out, 'report.md'), 'utf8');
  t.regex(report, /say --entry-point dns=PORT/);
  t.regex(report, /IngressRoute\/shop\/not .*what requests have, and not what they lack/);
  t.regex(report, /IngressRoute\/shop\/broken .*the rule cannot be read/);
});

thorough(test)('rules that change places have a request that shows it', async (t) => {
  const { input, out } = foldersOf(
    t,
    textOf(
      route('all', 'Host(`a.test`)', { priority: 100 }),
      route('part', 'Host(`a.test`) && PathPrefix(`/part`)', { priority: 1 }),
    ),
  );
  t.is((await runCommand(args(input, out))).code, 1);
  t.regex(
    readFileSync(join(out, 'report.md'), 'utf8'),
    /GET http:\/\/a\.test\/part is answered by IngressRoute\/shop\/part here/,
  );
});

const unconverted: readonly (readonly [string, object])[] = [
  ['addresses behind proxies', { ipAllowList: { sourceRange: ['10.0.0.0/8'], ipStrategy: { depth: 1 } } }],
  ['a list without addresses', { ipAllowList: {} }],
  ['addresses that are none', { ipAllowList: { sourceRange: 7 } }],
  ['a server without an address', { forwardAuth: {} }],
  ['passwords without a Secret', { basicAuth: {} }],
  ['digest passwords', { digestAuth: { secret: 'users' } }],
  ['a plugin', { plugin: { waf: {} } }],
  ['a middleware of a later version', { guard: { mode: 'strict' } }],
  ['a later field of one that protects', { ipAllowList: { sourceRange: ['10.0.0.0/8'], unless: 'x' } }],
  ['hosts that are allowed', { headers: { allowedHosts: ['a.test'] } }],
];
for (const [what, spec] of unconverted)
  test(`${what}: the route denies all requests, unless someone says that it may go without`, async (t) => {
    const { input, out } = foldersOf(
      t,
      textOf(own('Middleware', 'one', spec), route('web', 'Host(`a.test`)', { middlewares: [{ name: 'one' }] })),
    );
    const denied = () =>
      madeIn(out, 'shop/ingressroute-web.yaml').filter(
        ({ spec: { clientIPs } }: { readonly spec: { readonly clientIPs?: { readonly deny?: readonly string[] } } }) =>
          clientIPs?.deny?.includes('0.0.0.0/0'),
      ).length;
    t.is((await runCommand(args(input, out))).code, 1);
    t.is(denied(), 1);
    t.is((await runCommand(args(input, out, '--without', 'shop/web'))).code, 1);
    t.is(denied(), 0);
  });

thorough(test)(
  'certificates that a TLSOption asks clients for are not lost: routes that have it are closed, those of the default too',
  async (t) => {
    const asking = (name: string, namespace: string) => ({
      ...own('TLSOption', name, { clientAuth: { secretNames: ['ca'], clientAuthType: 'RequireAndVerifyClientCert' } }),
      metadata: { name, namespace },
    });
    const secure = (name: string, options?: object) =>
      route(name, `Host(\`${name}.test\`)`, {}, { tls: { secretName: 'web-tls', options } });
    const tcp = own('IngressRouteTCP', 'tcp', {
      entryPoints: ['websecure'],
      routes: [{ match: 'HostSNI(`tcp.test`)', services: [{ name: 'web', port: 80 }] }],
      tls: { secretName: 'web-tls' },
    });
    const { input, out } = foldersOf(
      t,
      textOf(
        asking('default', 'infra'),
        asking('asks', 'infra'),
        own('TLSOption', 'open', { minVersion: 'VersionTLS12' }),
        secure('usual'),
        secure('named', { name: 'asks', namespace: 'infra' }),
        secure('absent', { name: 'none' }),
        secure('free', { name: 'open' }),
        tcp,
      ),
    );
    t.is((await runCommand(args(input, out))).code, 1);
    const isClosed = (file: string) => JSON.stringify(madeIn(out, `shop/${file}.yaml`)).includes('0.0.0.0/0');
    for (const name of ['ingressroute-usual', 'ingressroute-named', 'ingressroute-absent', 'ingressroutetcp-tcp'])
      t.true(isClosed(name), name);
    t.false(isClosed('ingressroute-free'));
  },
);

thorough(test)('two lists of addresses must both hold, which a policy cannot say: the route is closed', async (t) => {
  const list = (name: string, network: string) => own('Middleware', name, { ipAllowList: { sourceRange: [network] } });
  const { input, out } = foldersOf(
    t,
    textOf(
      list('a', '10.0.0.0/8'),
      list('b', '10.1.0.0/16'),
      route('web', 'Host(`a.test`)', { middlewares: [{ name: 'a' }, { name: 'b' }] }),
    ),
  );
  t.is((await runCommand(args(input, out))).code, 1);
  t.like(madeIn(out, 'shop/ingressroute-web.yaml')[1]?.spec, { clientIPs: { deny: ['0.0.0.0/0', '::/0'] } });
});

test('objects with values of wrong types are no fault of the program', async (t) => {
  const kinds = [
    'IngressRoute',
    'IngressRouteTCP',
    'IngressRouteUDP',
    'Middleware',
    'MiddlewareTCP',
    'TraefikService',
    'ServersTransport',
    'TLSOption',
    'TLSStore',
  ];
  const values = [null, 1, 'x', true, [], {}, [[]], [{}], { a: [1] }];
  const fields = [
    'entryPoints',
    'routes',
    'tls',
    'weighted',
    'mirroring',
    'failover',
    'headers',
    'chain',
    'clientAuth',
    'rootCAs',
    'rateLimit',
    'stripPrefix',
  ];
  const broken = kinds.flatMap((kind) =>
    values.map((value, index) => own(kind, `one-${index}`, Object.fromEntries(fields.map((field) => [field, value])))),
  );
  const inside = values.map((value, index) =>
    route(`web-${index}`, 'Host(`a.test`)', {
      middlewares: [{ name: `one-${index}` }],
      services: value,
      priority: value,
    }),
  );
  const loops = own('TraefikService', 'loop', { weighted: { services: [{ kind: 'TraefikService', name: 'loop' }] } });
  const chain = own('Middleware', 'ring', { chain: { middlewares: [{ name: 'ring' }] } });
  const ring = route('ring', 'Host(`b.test`)', {
    middlewares: [{ name: 'ring' }],
    services: [{ kind: 'TraefikService', name: 'loop' }],
  });
  const { input, out } = foldersOf(t, textOf(...broken, ...inside, loops, chain, ring));
  const { code, stderr } = await runCommand(args(input, out));
  t.is(code, 1, stderr);
  t.notRegex(stderr, /TypeError|at file:/);
});

thorough(test)('the inventory counts what a conversion does, and writes nothing', async (t) => {
  const { input, out } = foldersOf(t, world);
  const inventory = (...more: readonly string[]) =>
    runCommand(['migrate', 'inventory', '--from', 'traefik', '-f', input, ...more]);
  const { code, stdout, stderr } = await inventory();
  t.is(code, 1, stderr);
  t.regex(stdout, /^\d+ objects of [A-Z][A-Za-z ]+: \d+ converted, [1-9]\d* closed, \d+ left out\n/);
  t.regex(stdout, /\nIngressRoute\/shop\/shop \(closed\)\n {2}cannot: /);
  t.false(existsSync(out));
  const json = JSON.parse((await inventory('-o', 'json')).stdout);
  await runCommand(args(input, out));
  const report = readFileSync(join(out, 'report.md'), 'utf8');
  t.true(report.includes(`${json.counts.converted} of ${json.objects.length} objects are converted`));
  t.regex((await inventory('-o', 'markdown')).stdout, /^\| IngressRoute\/shop\/shop \| closed \| cannot \|/m);
  t.is((await inventory('-o', 'html')).code, 2);
});

thorough(test)(
  'error pages come from the Service of the Middleware, and those that need the URL are said to be lost',
  async (t) => {
    const pages = (name: string, errors: object) => ({
      ...own('Middleware', name, { errors: { service: { name: 'pages', port: 80 }, ...errors } }),
      metadata: { name, namespace: 'infra' },
    });
    const at = (name: string) => route(name, `Host(\`${name}.test\`)`, { middlewares: [{ name, namespace: 'infra' }] });
    const { input, out } = foldersOf(
      t,
      textOf(
        pages('all', { status: ['500-599'], query: '/error' }),
        pages('named', { status: ['404', '503'], query: '{status}.html', statusRewrites: { '404': 410 } }),
        pages('many', { status: ['400-599'], query: '/{status}' }),
        pages('url', { status: ['404'], query: '/?of={url}' }),
        pages('fine', { status: ['200-299', '404'] }),
        ...['all', 'named', 'many', 'url', 'fine'].map(at),
      ),
    );
    t.is((await runCommand(args(input, out))).code, 1);
    const pagesOf = (name: string) => {
      const policy = madeIn(out, `shop/ingressroute-${name}.yaml`).find(({ kind }) => kind === 'TrafficPolicy');
      return (policy?.spec as { readonly errorPages?: readonly object[] } | undefined)?.errorPages;
    };
    const from = (path: string) => ({ backendRef: { name: 'pages', namespace: 'infra', port: 80 }, path });
    t.deepEqual(pagesOf('all'), [{ classes: ['5xx'], service: from('/error') }]);
    t.deepEqual(pagesOf('named'), [
      { codes: [404], service: from('/404.html') },
      { codes: [503], service: from('/503.html') },
    ]);
    t.deepEqual([pagesOf('many'), pagesOf('url')], [undefined, undefined]);
    t.deepEqual(pagesOf('fine'), [{ codes: [404], service: from('/') }]);
    const [grant] = madeIn(out, 'infra/_grants.yaml');
    t.like(grant?.spec, { from: [{ group: 'gatewright.dev', kind: 'TrafficPolicy', namespace: 'shop' }] });
    const report = readFileSync(join(out, 'report.md'), 'utf8');
    t.regex(report, /the Service gets it in X-Original-URI/);
    t.regex(report, /a policy has 16 error pages/);
    t.regex(report, /an error keeps its status/);
    t.regex(report, /200-299: pages are for statuses from 400 to 599/);
    t.is((await runCommand(['validate', '--no-with-references', out])).code, 0);
  },
);

thorough(test)(
  'a redirect by an expression is converted where it is for all requests of its rule, and else closes it',
  async (t) => {
    const to = (name: string, regex: string, replacement: string) =>
      own('Middleware', name, { redirectRegex: { regex, replacement, permanent: true } });
    const at = (name: string, rule = '') => route(name, `Host(\`${name}.test\`)${rule}`, { middlewares: [{ name }] });
    const { input, out } = foldersOf(
      t,
      textOf(
        to('moved', '^https?://moved\\.test/a\\.b/(.*)$', 'https://new.test:8443/c/$1'),
        to('fixed', '^http://fixed.test/(.*)', 'https://new.test'),
        to('part', '^http://part.test/a/(.*)', 'https://new.test/b/$1'),
        to('loop', '^http://loop.test/a(.*)', 'http://loop.test/ab$1'),
        to('other', '^http://else.test/a/(.*)', 'https://new.test/b/$1'),
        to('twice', '^http://twice.test/(.*)/(.*)', 'https://new.test/$2/$1'),
        at('moved', ' && PathPrefix(`/a.b/`)'),
        at('fixed'),
        at('part'),
        at('loop', ' && PathPrefix(`/a`)'),
        at('other', ' && PathPrefix(`/a/`)'),
        at('twice'),
      ),
    );
    t.is((await runCommand(args(input, out))).code, 1);
    const made = (name: string) => madeIn(out, `shop/ingressroute-${name}.yaml`);
    const redirectOf = (name: string) => made(name).find(({ kind }) => kind === 'HTTPFilter')?.spec;
    const toNew = { scheme: 'https', hostname: 'new.test' };
    t.deepEqual(redirectOf('moved'), {
      regexRedirect: { ...toNew, port: 8443, pattern: '^/a\\.b/', substitution: '/c/', statusCode: 301 },
    });
    t.deepEqual(redirectOf('fixed'), {
      regexRedirect: { ...toNew, pattern: '^.*$', substitution: '/', stripQuery: true, statusCode: 301 },
    });
    for (const name of ['part', 'loop', 'other', 'twice']) {
      t.is(redirectOf(name), undefined, name);
      t.like(made(name).find(({ kind }) => kind === 'AccessPolicy')?.spec, {
        clientIPs: { deny: ['0.0.0.0/0', '::/0'] },
      });
    }
    t.is((await runCommand(['validate', '--no-with-references', out])).code, 0);
  },
);

thorough(test)(
  'logins of forwardAuth send browsers on, and names of backends are those of a BackendTLSPolicy',
  async (t) => {
    const ask = {
      address: 'http://auth.infra.svc.cluster.local/verify',
      authSigninURL: 'https://login.test/start',
      addAuthCookiesToResponse: ['session'],
    };
    const { input, out } = foldersOf(
      t,
      textOf(
        own('Middleware', 'ask', { forwardAuth: ask }),
        own('ServersTransport', 'mesh', {
          serverName: 'web.test',
          peerCertURI: 'spiffe://mesh/web',
          peerCertSANs: [{ type: 'DNSName', value: 'web.mesh' }],
        }),
        route('asked', 'Host(`asked.test`)', {
          middlewares: [{ name: 'ask' }],
          services: [{ name: 'web', port: 80, scheme: 'https', serversTransport: 'mesh' }],
        }),
      ),
    );
    t.is((await runCommand(args(input, out))).code, 0);
    const access = madeIn(out, 'shop/ingressroute-asked.yaml').find(({ kind }) => kind === 'AccessPolicy');
    t.like(access?.spec, {
      forwardAuth: { signIn: { url: 'https://login.test/start' }, http: { toClient: ['set-cookie'] } },
    });
    const tls = madeIn(out, 'shop/_services.yaml').find(({ kind }) => kind === 'BackendTLSPolicy');
    t.like(tls?.spec, {
      validation: {
        hostname: 'web.test',
        subjectAltNames: [
          { type: 'Hostname', hostname: 'web.mesh' },
          { type: 'URI', uri: 'spiffe://mesh/web' },
        ],
      },
    });
    t.is((await runCommand(['validate', '--no-with-references', out])).code, 0);
  },
);

test('a file without objects of Traefik is a mistake of the person, and nothing is written', async (t) => {
  const { input, out } = foldersOf(t, textOf({ apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'a' } }));
  for (const asked of [args(input, out), ['migrate', 'inventory', '--from', 'traefik', '-f', input]]) {
    const { code, stderr } = await runCommand(asked);
    t.is(code, 2);
    t.regex(stderr, /no object of Traefik was found: name files with -f, or a cluster/);
  }
  t.false(existsSync(out));
});
