import http from 'node:http';
import http2 from 'node:http2';
import { callType, emptyMessage } from './calls.ts';

/** Backends of the model's gateway, and the server that is asked. */

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

/** A server of gRPC, which has every method. */
async function serveCalls(): Promise<Served> {
  const server = http2.createServer();
  const sessions = new Set<http2.ServerHttp2Session>();
  server.on('session', (session) => {
    sessions.add(session);
    session.once('close', () => sessions.delete(session));
  });
  server.on('stream', (stream, headers) => {
    stream.on('error', () => {});
    stream.once('wantTrailers', () => stream.sendTrailers({ 'grpc-status': '0' }));
    const saw = sawIn({ headers, url: headers[':path'] }).join(' ');
    stream.respond({ 'content-type': callType, 'x-saw': saw }, { waitForTrailers: true });
    stream.resume().end(emptyMessage);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as { port: number };
  return {
    port,
    close() {
      for (const session of sessions) session.destroy();
      server.close();
    },
  };
}

/** Which credentials the backend sees, or the server that was asked before it saw. */
function sawIn({ headers, url = '' }: Pick<http.IncomingMessage, 'headers' | 'url'>): string[] {
  const { authorization = '', cookie = '', 'x-auth-saw': asked = '' } = headers;
  const isIn = (name: 'key' | 'token') =>
    new RegExp(`[?&]${name}=`).test(url) || new RegExp(`(^|; )${name}=`).test(cookie) || asked.includes(name);
  return [
    ...('x-key' in headers || 'x-other-key' in headers || isIn('key') ? ['key'] : []),
    ...('x-token' in headers || authorization.startsWith('Bearer') || isIn('token') ? ['token'] : []),
  ];
}

export interface ModelServers {
  /** What leads to them: `web`, `calls`, which speaks gRPC, `auth`, which decides by a header, and `dead`, which has no endpoints. */
  readonly objects: readonly object[];
  readonly close: () => void;
}

export async function startServers(): Promise<ModelServers> {
  const web = await serve((request, response) => response.setHeader('x-saw', sawIn(request).join(' ')).end('ok'));
  const calls = await serveCalls();
  const auth = await serve((request, response) =>
    response
      .setHeader('x-auth-saw', sawIn(request).join(' '))
      .writeHead(request.headers['x-consent'] === 'yes' ? 200 : 418)
      .end(),
  );
  return {
    objects: [
      ...serviceObjects('web', web.port),
      ...serviceObjects('calls', calls.port, 'kubernetes.io/h2c'),
      ...serviceObjects('auth', auth.port),
      ...serviceObjects('dead', undefined),
    ],
    close() {
      web.close();
      calls.close();
      auth.close();
    },
  };
}

const serviceObjects = (name: string, port: number | undefined, appProtocol?: string): object[] => [
  {
    apiVersion: 'v1',
    kind: 'Service',
    metadata: { name },
    spec: { ports: [{ port: 80, ...(appProtocol && { appProtocol }) }] },
  },
  {
    apiVersion: 'discovery.k8s.io/v1',
    kind: 'EndpointSlice',
    metadata: { name: `${name}-1`, labels: { 'kubernetes.io/service-name': name } },
    addressType: 'IPv4',
    ports: [{ port: port ?? 1 }],
    endpoints: port === undefined ? [] : [{ addresses: ['127.0.0.1'] }],
  },
];
