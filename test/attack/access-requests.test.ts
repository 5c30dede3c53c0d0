import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { createServer, type IncomingMessage } from 'node:http';
import { connect, type IncomingHttpHeaders } from 'node:http2';
import anyTest, { type TestFn } from 'ava';
import { endings } from '../support/endings.ts';
import { serviceObjects, startBackend } from '../support/http.ts';
import { exchange, rawRequest } from '../support/raw-http.ts';
import { every } from '../support/repetitions.ts';
import { routeObject, type Standalone, startStandalone } from '../support/standalone.ts';
import { signer } from '../support/tokens.ts';
import { until } from '../support/until.ts';

// A stranger at hosts that policies guard, each by one part: upgrades, gRPC calls, odd paths, and headers that say who he is.

interface World {
  readonly gateway: Standalone;
  /** What the backend got, by the part of the host and the path: its header lines. */
  readonly seen: ReadonlyMap<string, readonly string[]>;
}

const test = anyTest as TestFn<World>;
const all = endings(test);

const staff = signer('staff');
const sha = createHash('sha1').update('secret').digest('base64');
const secret = (name: string, stringData: Record<string, string>) => ({
  apiVersion: 'v1',
  kind: 'Secret',
  metadata: { name, labels: { 'gatewright.dev/credentials': 'true' } },
  stringData,
});

interface Part {
  readonly spec: object;
  /** A header by which a request is let in. */
  readonly credential?: string;
  /** Of strangers: of HTTP, and of gRPC (source: gRPC, Status codes). */
  readonly denied: { readonly http: number; readonly grpc: number };
  /** What backends learn of the client. */
  readonly identity?: string;
}

const parts: Readonly<Record<string, Part>> = {
  ips: { spec: { clientIPs: { allow: ['192.0.2.0/24'] } }, denied: { http: 403, grpc: 7 } },
  keys: {
    spec: { apiKeys: { secretRefs: [{ name: 'clients' }], from: [{ header: 'x-key' }], identityHeader: 'x-who' } },
    credential: 'x-key: k1',
    denied: { http: 401, grpc: 16 },
    identity: 'x-who: bob',
  },
  basic: {
    spec: { basicAuth: { secretRef: { name: 'users' }, userHeader: 'x-who' } },
    credential: `authorization: Basic ${Buffer.from('ann:secret').toString('base64')}`,
    denied: { http: 401, grpc: 16 },
    identity: 'x-who: ann',
  },
  jwt: {
    spec: {
      jwt: {
        providers: [
          {
            name: 'staff',
            jwks: { inline: JSON.stringify({ keys: [staff.jwk] }) },
            claimsToHeaders: [{ claim: 'sub', header: 'x-who' }],
          },
        ],
      },
    },
    credential: `authorization: Bearer ${staff.token({ sub: 'eve' })}`,
    denied: { http: 401, grpc: 16 },
    identity: 'x-who: eve',
  },
  asks: {
    spec: {
      forwardAuth: {
        backendRef: { name: 'auth', port: 80 },
        http: { path: '/check', requestHeaders: ['x-pass'], toBackend: ['x-who'] },
      },
    },
    credential: 'x-pass: yes',
    denied: { http: 401, grpc: 16 },
    identity: 'x-who: mia',
  },
  rules: {
    spec: {
      authorization: {
        default: 'Allow',
        rules: [{ name: 'admin', action: 'Deny', when: { paths: [{ prefix: '/admin' }] } }],
      },
    },
    denied: { http: 403, grpc: 7 },
  },
  not: {
    spec: {
      authorization: {
        rules: [
          { name: 'rest', action: 'Allow', when: { paths: [{ exact: '/x/admin' }, { prefix: '/admin' }], not: true } },
        ],
      },
    },
    denied: { http: 403, grpc: 7 },
  },
  cel: {
    spec: {
      authorization: {
        rules: [
          {
            name: 'rest',
            action: 'Allow',
            when: { cel: "request.url_path == '/other' || request.url_path.startsWith('/who/')" },
          },
        ],
      },
    },
    denied: { http: 403, grpc: 7 },
  },
};

test.before(async (t) => {
  t.timeout(600_000);
  const seen = new Map<string, readonly string[]>();
  const web = createServer((request, response) => {
    seen.set(
      keyOf(request),
      request.rawHeaders.flatMap((name, index, lines) =>
        index % 2 ? [] : `${name.toLowerCase()}: ${lines[index + 1]}`,
      ),
    );
    response.end('ok');
  });
  web.on('upgrade', (request, socket) => {
    seen.set(keyOf(request), []);
    socket.end('HTTP/1.1 101 Switching Protocols\r\nconnection: upgrade\r\nupgrade: websocket\r\n\r\nhello');
  });
  // Envoy may be about to use a connection that would be closed for having been idle.
  web.keepAliveTimeout = 0;
  await new Promise<void>((resolve) => web.listen(0, '127.0.0.1', resolve));
  all.teardown(() => {
    web.closeAllConnections();
    web.close();
  });
  const auth = await startBackend(all, ({ headers }, response) => {
    response.writeHead(headers['x-pass'] === 'yes' ? 200 : 401, { 'x-who': 'mia' }).end();
  });
  const gateway = await startStandalone({
    'web.yaml': [
      ...serviceObjects('web', [(web.address() as { port: number }).port]),
      ...serviceObjects('auth', [auth.port]),
      secret('clients', { bob: 'k1' }),
      secret('users', { '.htpasswd': `ann:{SHA}${sha}\n` }),
      ...Object.entries(parts).flatMap(([name, { spec }]) => [
        routeObject(name, `*.${name}.test`, [{ backendRefs: [{ name: 'web', port: 80 }] }]),
        {
          apiVersion: 'gatewright.dev/v1alpha1',
          kind: 'AccessPolicy',
          metadata: { name },
          spec: { targetRefs: [{ group: 'gateway.networking.k8s.io', kind: 'HTTPRoute', name }], ...spec },
        },
      ]),
    ],
  });
  all.teardown(() => gateway.stop());
  t.context = { gateway, seen };
  await until('the policies to hold', async () => (await ask(t.context, 'rules', '/admin')).status === 403);
});

/** `PART PATH` */
const keyOf = ({ headers: { host = '' }, url }: IncomingMessage): string =>
  `${host.split('.')[1]?.toLowerCase()} ${url}`;

const hostOf = (part: string) => `late.${part}.test`;

const ask = ({ gateway }: World, part: string, path: string, ...lines: readonly string[]) =>
  exchange(gateway.port, rawRequest(path, [`Host: ${hostOf(part)}`, ...lines]));

for (const [name, { credential, denied, identity }] of every(4, Object.entries(parts))) {
  const secretPath = `/admin/${name}`;

  test(`${name}: no upgrade gets past it without a credential, and with one it does`, async (t) => {
    const upgrade = (path: string, ...lines: readonly string[]) =>
      exchange(
        t.context.gateway.port,
        `${[`GET ${path} HTTP/1.1`, `Host: ${hostOf(name)}`, ...lines, 'Connection: Upgrade', 'Upgrade: websocket'].join('\r\n')}\r\n\r\n`,
      );
    t.is((await upgrade(`${secretPath}/upgrade`)).status, denied.http);
    t.false(t.context.seen.has(`${name} ${secretPath}/upgrade`));
    if (!credential) return;
    t.is((await upgrade(`${secretPath}/let-in`, credential)).status, 101);
    t.true(t.context.seen.has(`${name} ${secretPath}/let-in`));
  });

  test(`${name}: a gRPC call without a credential gets a status of gRPC`, async (t) => {
    const session = connect(`http://127.0.0.1:${t.context.gateway.port}`);
    t.teardown(() => session.destroy());
    const stream = session.request({
      ':method': 'POST',
      ':path': `${secretPath}/Call`,
      ':authority': hostOf(name),
      'content-type': 'application/grpc',
      te: 'trailers',
    });
    const response = once(stream, 'response');
    stream.end();
    const [headers] = (await response) as [IncomingHttpHeaders];
    t.is(headers[':status'] as unknown, 200);
    t.is(Number(headers['grpc-status']), denied.grpc);
    t.false(t.context.seen.has(`${name} ${secretPath}/Call`));
  });

  if (credential && identity)
    test(`${name}: backends learn who was verified, and no name that the client wrote`, async (t) => {
      const forged = ['X-Who: root', 'x-who: root', 'X-WHO: root', 'x-who:', 'x-who: bob, root'];
      for (const lines of [
        [...forged, credential],
        [credential, ...forged],
        [forged[0] ?? '', credential, forged[2] ?? ''],
      ]) {
        t.is((await ask(t.context, name, `/who/${name}`, ...lines)).status, 200);
        const said = (t.context.seen.get(`${name} /who/${name}`) ?? []).filter((line) => line.startsWith('x-who'));
        t.deepEqual(said, [identity]);
      }
      for (const spelt of ['x_who: root', 'X_Who: root'])
        t.is((await ask(t.context, name, `/spelt/${name}`, credential, spelt)).status, 400, 'underscores are rejected');
      for (const spelt of ['x-who : root', ' x-who: root', 'x-who\t: root'])
        t.not((await ask(t.context, name, `/spelt/${name}`, credential, spelt)).status, 200, spelt);
      t.false(t.context.seen.has(`${name} /spelt/${name}`));
    });
}

/** Ways to write a path that some servers read as /admin. */
const oddPaths = [
  ...['/admin', '//admin', '///admin/x', '/admin//', '/./admin', '/x/../admin', '/x/./../admin/', '/admin/../admin'],
  ...['/%61dmin', '/adm%69n', '/%2e/admin', '/x/%2e%2e/admin', '/x/%2E%2E/admin', '/x/.%2e/admin', '/x%2f..%2fadmin'],
  ...[
    '/%2fadmin',
    '/%2Fadmin',
    '/%5cadmin',
    '/x%5c..%5cadmin',
    '/\\admin',
    '/x\\..\\admin',
    '/..;/admin',
    '/x/..;/admin',
  ],
  ...[
    '/;x/admin',
    '/admin;x',
    '/admin;/x',
    '/admin?x',
    '/admin#x',
    '/admin%00',
    '/admin%20',
    '/admin.',
    '/admin%2f',
    '/admin/..%2fx',
  ],
  ...[
    '/%2561dmin',
    '/%252fadmin',
    '/x/../../admin',
    '/../admin',
    '/x//../admin',
    '/x/..//admin',
    '/admin\t',
    '/admin/.;/x',
    '/who/..;/admin',
    '/who/..;x/admin',
    '/;/;/admin;/',
  ],
  ...[
    '/x/%2e%2e;y/admin',
    '/x/%2E%2e;/admin',
    '/x/.%2e;y/admin',
    '/x/%2e.;y/admin',
    '/x/..%3by/admin',
    '/x/%2e%2e%3By/admin',
    '/%2e;x/admin',
    '/x/y/%2e%2e;/%2e%2e;/admin',
    '/who/%2e%2e;x/admin',
    '/who/%2e%2e;/%2e;/admin;v/x',
    '/admin/x/%2e%2e;',
  ],
];

/** The path as a server would read it that decodes once, takes parameters off segments, and then resolves it. */
function readPath(path: string): string {
  const [plain = ''] = path.split(/[?#]/);
  const decoded = plain.replace(/%([0-9a-f]{2})/gi, (_, code: string) =>
    String.fromCharCode(Number.parseInt(code, 16)),
  );
  const segments: string[] = [];
  for (const segment of decoded.replaceAll('\\', '/').split('/')) {
    const [name = ''] = segment.split(';');
    if (name === '..') segments.pop();
    else if (name !== '' && name !== '.') segments.push(name);
  }
  return `/${segments.join('/')}`;
}

for (const name of every(3, ['rules', 'not', 'cel']))
  test(`${name}: what a backend reads as a guarded path does not get there, however it is written`, async (t) => {
    const { gateway, seen } = t.context;
    const hosts = [hostOf(name), hostOf(name).toUpperCase(), `${hostOf(name)}:80`];
    await Promise.all(
      hosts.flatMap((host) => oddPaths.map((path) => exchange(gateway.port, rawRequest(path, [`Host: ${host}`])))),
    );
    for (const path of [
      '/other',
      ...['...;x', '..name;v=1/x', 'x..;y', '.x;v/x', 'a;v=1.;/b', 'a/b..'].map((each) => `/who/${each}`),
    ])
      t.is((await ask(t.context, name, path)).status, 200, path);
    const got = [...seen.keys()].flatMap((key) => (key.startsWith(`${name} `) ? key.slice(name.length + 1) : []));
    t.true(got.includes('/other'));
    t.deepEqual(
      got.filter((path) => /^\/admin(\/|$)/.test(readPath(path))),
      [],
    );
  });
