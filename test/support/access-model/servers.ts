import http from 'node:http';

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

export interface ModelServers {
  /** What leads to them: `web`, `auth`, which decides by a header, and `dead`, which has no endpoints. */
  readonly objects: readonly object[];
  readonly close: () => void;
}

export async function startServers(): Promise<ModelServers> {
  const web = await serve((request, response) => response.setHeader('x-saw', sawIn(request).join(' ')).end('ok'));
  const auth = await serve((request, response) =>
    response
      .setHeader('x-auth-saw', sawIn(request).join(' '))
      .writeHead(request.headers['x-consent'] === 'yes' ? 200 : 418)
      .end(),
  );
  return {
    objects: [
      ...serviceObjects('web', web.port),
      ...serviceObjects('auth', auth.port),
      ...serviceObjects('dead', undefined),
    ],
    close() {
      web.close();
      auth.close();
    },
  };
}

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
