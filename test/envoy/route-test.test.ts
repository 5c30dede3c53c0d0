import http from 'node:http';
import https from 'node:https';
import { isDeepStrictEqual } from 'node:util';
import test from 'ava';
import { issueCertificate } from '../../scripts/example/certificate.ts';
import type { Echo } from '../../scripts/example/echo-server.ts';
import { freePort } from '../../scripts/free-port.ts';
import { type RouteTestResult, testRoute } from '../../src/offline/route-test/index.ts';
import { listenerHosts, type OddRequest, oddRequest, oddRoute, randomOf } from '../support/odd-requests.ts';
import { repetitions } from '../support/repetitions.ts';
import { routeObject, type Standalone, startStandalone } from '../support/standalone.ts';
import { untilFits } from '../support/until.ts';

const rounds = repetitions({ few: 2, all: 8 });
const routesPerRound = 12;
const requestsPerRound = 300;

/** What can be compared of an answer, and of what was worked out. */
interface Seen {
  /** Of HTTP; or what the proxy's own answer to a gRPC request says. */
  readonly status: number | string;
  readonly rule?: string;
  readonly location?: string;
  /** As the backend saw it. */
  readonly path?: string;
  readonly host?: string;
}

const edge = (httpPort: number, httpsPort: number): object => ({
  apiVersion: 'gateway.networking.k8s.io/v1',
  kind: 'Gateway',
  metadata: { name: 'edge' },
  spec: {
    gatewayClassName: 'gatewright',
    listeners: [
      { name: 'http', port: httpPort, protocol: 'HTTP' },
      ...listenerHosts.map((hostname, index) => ({
        name: `https-${index}`,
        port: httpsPort,
        protocol: 'HTTPS',
        ...(hostname && { hostname }),
        tls: { certificateRefs: [{ name: 'certificate' }] },
      })),
    ],
  },
});

async function startEdge(httpPort: number, httpsPort: number): Promise<Standalone> {
  const { certificatePem, keyPem } = await issueCertificate(['a.test']);
  const secret = {
    apiVersion: 'v1',
    kind: 'Secret',
    type: 'kubernetes.io/tls',
    metadata: { name: 'certificate' },
    stringData: { 'tls.crt': certificatePem, 'tls.key': keyPem },
  };
  const standalone = await startStandalone({ 'secret.yaml': [secret] });
  const [gatewayClass] = standalone.gatewayObjects;
  standalone.write('gateway.yaml', gatewayClass as object, edge(httpPort, httpsPort));
  return standalone;
}

test('what is worked out for a request is what Envoy does with it', async (t) => {
  // Thousands of requests, on a machine that may stand still for seconds.
  t.timeout(600_000);
  const [httpPort, httpsPort] = [await freePort(), await freePort()];
  const standalone = await startEdge(httpPort, httpsPort);
  t.teardown(() => standalone.stop());
  standalone.write('backend.yaml', ...(await standalone.backend('one')));
  const connections = new Connections(httpPort, httpsPort);
  t.teardown(() => connections.close());
  const compared = new Map<string, number>();
  const wrong: object[] = [];
  for (let round = 0; round < rounds; round++) {
    const random = randomOf(1_000 + round);
    const routes = Array.from({ length: routesPerRound }, (_, index) =>
      oddRoute(random, `r${index}`, { name: 'one', port: 80 }, round % 2 === 1),
    );
    await replaceRoutes(standalone, round, routes);
    const gateway = standalone.control.graph.snapshot()?.gateways.get('default/edge');
    if (!gateway) throw new Error('the Gateway is not in the snapshot');
    for (let sent = 0; sent < requestsPerRound; sent++) {
      const request = oddRequest(random);
      const port = request.serverName === undefined ? httpPort : httpsPort;
      const result = testRoute(gateway, port, request);
      const [expected, seen] = [expectation(result, request), await connections.ask(request)];
      if (!isDeepStrictEqual(seen, expected)) wrong.push({ round, request, expected, seen, reason: result.reason });
      compared.set(result.outcome, (compared.get(result.outcome) ?? 0) + 1);
    }
  }
  t.log(Object.fromEntries(compared));
  t.deepEqual(wrong.slice(0, 20), [], `${wrong.length} of ${rounds * requestsPerRound}`);
  for (const outcome of ['forward', 'redirect', 'no_route', 'no_host', 'misdirected', 'refused'])
    t.true((compared.get(outcome) ?? 0) > 10, `only ${compared.get(outcome)} of ${outcome}`);
});

/** Resolves when the proxy has these routes and no others. */
async function replaceRoutes({ control, write }: Standalone, round: number, routes: readonly object[]): Promise<void> {
  const marker = `round-${round}.invalid`;
  write('routes.yaml', ...routes, routeObject('marker', marker, [{ backendRefs: [{ name: 'one', port: 80 }] }]));
  await untilFits(
    'the proxy to have applied the routes',
    () => {
      const snapshot = control.graph.snapshot();
      const tables = [...(snapshot?.gateways.get('default/edge')?.tables.values() ?? [])];
      const node = [...control.xds.nodes.list()][0];
      return { isIn: tables.some(({ exact }) => exact.has(marker)), isApplied: node?.lastAckVersion === snapshot?.id };
    },
    ({ isIn, isApplied }) => isIn && isApplied,
  );
}

/** How Envoy words its own answers for gRPC; all else is UNKNOWN. Source: Envoy, Grpc::Utility::httpToGrpcStatus. */
const grpcStatuses: Readonly<Record<number, number>> = { 400: 13, 401: 16, 403: 7, 404: 12, 503: 14 };

function expectation(result: RouteTestResult, { method, host, headers }: OddRequest): Seen {
  // What Envoy's parser rejects it answers without a look at what it is.
  const isGrpc =
    headers.some(([, value]) => value === 'application/grpc') && !headers.some(([name]) => name.includes('_'));
  const { status = 200, winner, location, forwarded, request } = result;
  const [, , name, , index] = winner?.route.id.split('/').slice(0, 5) ?? [];
  const query = request?.query === undefined ? '' : `?${request.query}`;
  return {
    status: isGrpc && result.status !== undefined ? `grpc ${grpcStatuses[status] ?? 2}` : status,
    ...(winner && { rule: `${name}/${index}` }),
    ...(location !== undefined && { location }),
    ...(forwarded &&
      method !== 'HEAD' && { path: `${forwarded.path}${query}`, host: forwarded.host ?? withoutDot(host) }),
  };
}

/** Of a name, before the port: proxies take it away. */
const withoutDot = (host: string): string => host.replace(/\.(?=$|:)/, '');

/** One connection for each TLS name, as its SNI is chosen once. */
class Connections {
  readonly #httpPort: number;
  readonly #httpsPort: number;
  readonly #plain = new http.Agent({ keepAlive: true, maxSockets: 1 });
  readonly #tls = new Map<string, https.Agent>();

  constructor(httpPort: number, httpsPort: number) {
    this.#httpPort = httpPort;
    this.#httpsPort = httpsPort;
  }

  close(): void {
    for (const agent of [this.#plain, ...this.#tls.values()]) agent.destroy();
  }

  ask({ host, path, method, headers, serverName }: OddRequest): Promise<Seen> {
    const isTls = serverName !== undefined;
    const given = { method, path, headers: ['Host', host, ...headers.flat()], setHost: false, host: '127.0.0.1' };
    return new Promise((resolve, reject) => {
      const answered = (response: http.IncomingMessage) => {
        let body = '';
        response.setEncoding('utf8').on('data', (text: string) => {
          body += text;
        });
        response.once('end', () => resolve(seenOf(response, body)));
      };
      const sent = isTls
        ? https.request(
            {
              ...given,
              port: this.#httpsPort,
              agent: this.#agentOf(serverName),
              servername: serverName,
              rejectUnauthorized: false,
            },
            answered,
          )
        : http.request({ ...given, port: this.#httpPort, agent: this.#plain }, answered);
      // Envoy's parser answers what it cannot read with a body, even to HEAD, where Node expects none.
      const failed = (error: Error & { readonly rawPacket?: Buffer }) => {
        const status = /^HTTP\/1\.1 (\d+) /.exec(error.rawPacket?.toString('latin1') ?? '')?.[1];
        if (status === undefined) reject(error);
        else resolve({ status: Number(status) });
      };
      sent.once('error', failed).end();
    });
  }

  #agentOf(serverName: string): https.Agent {
    const known = this.#tls.get(serverName) ?? new https.Agent({ keepAlive: true, maxSockets: 1 });
    this.#tls.set(serverName, known);
    return known;
  }
}

function seenOf({ statusCode = 0, headers }: http.IncomingMessage, body: string): Seen {
  const rule = headers['x-rule'];
  const echo = headers['content-type'] === 'application/json' && body !== '' ? (JSON.parse(body) as Echo) : undefined;
  const grpcStatus = headers['grpc-status'];
  return {
    status: grpcStatus === undefined ? statusCode : `grpc ${grpcStatus}`,
    ...(rule !== undefined && { rule: String(rule) }),
    ...(headers.location !== undefined && { location: headers.location }),
    ...(echo && { path: echo.path, host: String(echo.headers.host) }),
  };
}
