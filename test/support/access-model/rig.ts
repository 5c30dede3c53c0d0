import http from 'node:http';
import https from 'node:https';
import { isDeepStrictEqual } from 'node:util';
import { freePort } from '../../../scripts/free-port.ts';
import { frontendObjects } from '../client-certificates.ts';
import { gatewayObjects, isCurrent, type Standalone, startStandalone } from '../standalone.ts';
import { until, untilFits } from '../until.ts';
import { type Holder, issueCertificates, type ModelCertificates } from './certificates.ts';
import { jwksOf, symmetricJwks, tokenText } from './credentials.ts';
import { hostOf } from './request-facts.ts';
import type { Ask, World } from './world.ts';

const api = { apiVersion: 'gateway.networking.k8s.io/v1' } as const;
const credentials = { 'gatewright.dev/credentials': 'true' };

/** Everything real: files, control plane, agent, Envoy, a backend, and a server that is asked. */
export class AccessRig {
  readonly standalone: Standalone;
  readonly #backends: readonly object[];
  readonly #end: () => Promise<void>;
  readonly #connections = new http.Agent({ keepAlive: true, maxSockets: 16 });
  /** By what is shown in the handshake. */
  readonly #tlsConnections = new Map<Holder, https.Agent>();
  readonly #certificates: ModelCertificates;
  readonly #tlsPort: number;
  #count = 0;

  private constructor(
    standalone: Standalone,
    backends: readonly object[],
    { certificates, port }: { readonly certificates: ModelCertificates; readonly port: number },
    end: () => Promise<void>,
  ) {
    this.standalone = standalone;
    this.#backends = backends;
    this.#certificates = certificates;
    this.#tlsPort = port;
    this.#end = end;
  }

  static async start(): Promise<AccessRig> {
    const web = await serve((request, response) => response.setHeader('x-saw', sawIn(request).join(' ')).end('ok'));
    const auth = await serve((request, response) =>
      response
        .setHeader('x-auth-saw', sawIn(request).join(' '))
        .writeHead(request.headers['x-consent'] === 'yes' ? 200 : 418)
        .end(),
    );
    const standalone = await startStandalone({
      'policy.yaml': [
        {
          apiVersion: 'gatewright.dev/v1alpha1',
          kind: 'ListenerPolicy',
          metadata: { name: 'hops' },
          spec: {
            targetRefs: [{ group: 'gateway.networking.k8s.io', kind: 'Gateway', name: 'edge' }],
            clientIP: { trustedHops: 1 },
          },
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
      ],
    });
    const tls = { certificates: await issueCertificates(), port: await freePort() };
    standalone.write('gateway.yaml', ...withTls(gatewayObjects(standalone.port), tls));
    const backends = [
      ...serviceObjects('web', web.port),
      ...serviceObjects('auth', auth.port),
      ...serviceObjects('dead', undefined),
    ];
    return new AccessRig(standalone, backends, tls, async () => {
      await standalone.stop();
      web.close();
      auth.close();
    });
  }

  /** Puts the world in the place of the former one; resolves when Envoy has it. */
  async apply(world: World): Promise<void> {
    const state = this.write(world);
    const { standalone } = this;
    const wanted = countsOf(world, state);
    const isRead = (counts: object): boolean => isDeepStrictEqual(counts, wanted);
    await untilFits(`the files to be read: ${JSON.stringify(wanted)}`, () => seenBy(standalone), isRead);
    const { builder, graph } = standalone.control;
    let id: string | undefined;
    do {
      await builder.settled();
      id = graph.snapshot()?.id;
      await until('the proxy to have all', () => isCurrent(standalone));
      await builder.settled();
    } while (graph.snapshot()?.id !== id);
  }

  /** The same without waiting; gives the mark by which it is known. */
  write(world: World): string {
    this.#count += 1;
    const state = `s${this.#count}`;
    const marker = { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'state' }, data: { 'jwks.json': state } };
    this.standalone.write('world.yaml', ...this.#backends, ...objectsOf(world), marker);
    return state;
  }

  /** The status, and behind 200 which credentials were seen by the backend, or by a server that was asked: `200 key token`. */
  ask(world: World, host: number, ask: Ask): Promise<string> {
    const { path, method, headers } = requestOf(world, host, ask);
    const { certificate } = ask;
    const to = certificate
      ? { module: https, port: this.#tlsPort, agent: this.#tlsAgent(certificate) }
      : { module: http, port: this.standalone.port, agent: this.#connections };
    return new Promise((resolve, reject) => {
      to.module
        .request({ host: '127.0.0.1', port: to.port, path, method, headers, agent: to.agent }, (response) => {
          const { 'x-saw': saw = '' } = response.headers;
          response.resume().once('end', () => resolve(`${response.statusCode} ${saw}`.trim()));
        })
        .once('error', reject)
        .end();
    });
  }

  #tlsAgent(holder: Holder): https.Agent {
    const shown = this.#certificates.of(holder);
    const known =
      this.#tlsConnections.get(holder) ??
      new https.Agent({
        keepAlive: true,
        maxSockets: 16,
        servername: '',
        rejectUnauthorized: false,
        ...(shown && { cert: shown.certificatePem, key: shown.keyPem }),
      });
    this.#tlsConnections.set(holder, known);
    return known;
  }

  async stop(): Promise<void> {
    this.#connections.destroy();
    for (const agent of this.#tlsConnections.values()) agent.destroy();
    await this.#end();
  }
}

/** Which credentials the backend sees, or the server that was asked before it saw. */
function sawIn({ headers, url = '' }: http.IncomingMessage): string[] {
  const { authorization = '', cookie = '', 'x-auth-saw': asked = '' } = headers;
  const isIn = (name: 'key' | 'token') =>
    new RegExp(`[?&]${name}=`).test(url) || new RegExp(`(^|; )${name}=`).test(cookie) || asked.includes(name);
  return [
    ...('x-key' in headers || 'x-other-key' in headers || isIn('key') ? ['key'] : []),
    ...('x-token' in headers || authorization.startsWith('Bearer') || isIn('token') ? ['token'] : []),
  ];
}

/** What goes from a file goes later than what comes with it, so all is counted. */
function countsOf({ secrets, keySets, guards, hosts }: World, state: string): object {
  return {
    state,
    AccessPolicy: guards.length + hosts.flatMap((host) => host.policies).length,
    Secret: Object.keys(secrets).length + 1,
    ConfigMap: Object.keys(keySets).length + 2,
    HTTPRoute: hosts.length,
  };
}

const seenBy = ({ control: { graph } }: Standalone): object => ({
  state: graph.find('ConfigMap', 'default/state')?.data?.['jwks.json'],
  AccessPolicy: graph.count('AccessPolicy'),
  Secret: graph.count('Secret'),
  ConfigMap: graph.count('ConfigMap'),
  HTTPRoute: graph.count('HTTPRoute'),
});

/** The Gateway, also with a listener that asks for certificates and takes any; and what that needs. */
function withTls(
  objects: readonly object[],
  { certificates: { authorities, server }, port }: { readonly certificates: ModelCertificates; readonly port: number },
): object[] {
  const listener = { name: 'https', port, protocol: 'HTTPS', tls: { certificateRefs: [{ name: 'server' }] } };
  const validation = {
    caCertificateRefs: [{ group: '', kind: 'ConfigMap', name: 'authorities' }],
    mode: 'AllowInsecureFallback',
  };
  return [
    ...objects.map((object) => {
      const { kind, spec } = object as { kind: string; spec: { listeners: object[] } };
      if (kind !== 'Gateway') return object;
      const tls = { frontend: { default: { validation } } };
      return { ...object, spec: { ...spec, tls, listeners: [...spec.listeners, listener] } };
    }),
    ...frontendObjects(authorities, server),
  ];
}

function requestOf(world: World, host: number, ask: Ask) {
  const { path, method, key, token, user, origin, referer, forwardedFor, consent, team } = ask;
  const text = token && tokenText(token.name);
  const query = [
    ...(key?.in === 'query' ? [`key=${key.value}`] : []),
    ...(token?.in === 'query' ? [`token=${text}`] : []),
  ].join('&');
  const cookie = [
    ...(key?.in === 'cookie' ? [`key=${key.value}`] : []),
    ...(token?.in === 'cookie' ? [`token=${text}`] : []),
  ].join('; ');
  const headers: Record<string, string | undefined> = {
    ...(user && { authorization: `Basic ${Buffer.from(`${user.name}:${user.password}`).toString('base64')}` }),
    ...(token?.in === 'authorization' && { authorization: `Bearer ${text}` }),
    ...(token?.in === 'x-token' && { 'x-token': text }),
    ...(key?.in.startsWith('x-') && { [key.in]: key.value }),
    ...(cookie && { cookie }),
    ...(forwardedFor && { 'x-forwarded-for': forwardedFor }),
    ...(origin && { origin }),
    ...(referer && { referer }),
    ...(consent && { 'x-consent': consent }),
    ...(team && { 'x-team': team }),
    host: hostOf(world, host, ask),
  };
  return { method, headers, path: query ? `${path}${path.includes('?') ? '&' : '?'}${query}` : path };
}

function objectsOf({ secrets, keySets, guards, hosts }: World): object[] {
  return [
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
    ...hosts.flatMap(({ isWildcard, policies }, index) => [routeOf(index, isWildcard), ...policies]),
  ];
}

const routeOf = (host: number, isWildcard: boolean): object => ({
  ...api,
  kind: 'HTTPRoute',
  metadata: { name: `h${host}` },
  spec: {
    parentRefs: [{ name: 'edge' }],
    hostnames: [isWildcard ? `*.h${host}.test` : `h${host}.test`],
    rules: [
      ...['one', 'two'].map((name) => ({
        name,
        matches: [{ path: { type: 'PathPrefix', value: `/${name}` } }],
        backendRefs: [{ name: 'web', port: 80 }],
      })),
      { backendRefs: [{ name: 'web', port: 80 }] },
    ],
  },
});

const serviceObjects = (name: string, port: number | undefined): object[] => [
  { apiVersion: 'v1', kind: 'Service', metadata: { name }, spec: { ports: [{ port: 80 }] } },
  {
    apiVersion: 'discovery.k8s.io/v1',
    kind: 'EndpointSlice',
    metadata: { name: `${name}-1`, labels: { 'kubernetes.io/service-name': name } },
    addressType: 'IPv4',
    ports: [{ port: port ?? 1 }],
    endpoints: port === undefined ? [] : [{ addresses: ['127.0.0.1'] }],
  },
];

interface Served {
  readonly port: number;
  readonly close: () => void;
}

async function serve(answer: http.RequestListener): Promise<Served> {
  const server = http.createServer(answer);
  server.keepAliveTimeout = 0;
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as { port: number };
  return {
    port,
    close() {
      server.closeAllConnections();
      server.close();
    },
  };
}
