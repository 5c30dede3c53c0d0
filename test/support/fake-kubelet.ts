import { type EventEmitter, once } from 'node:events';
import type { IncomingMessage } from 'node:http';
import { createServer, type Server } from 'node:https';
import { createRequire } from 'node:module';
import { type AddressInfo, connect } from 'node:net';
import { issue } from './certificates.ts';
import type { KubeApiServer } from './kube-apiserver.ts';

interface WebSocket extends EventEmitter {
  send(data: Buffer): void;
  close(): void;
  terminate(): void;
}

interface WebSockets {
  readonly clients: Iterable<WebSocket>;
  on(event: 'connection', listener: (socket: WebSocket, request: IncomingMessage) => void): void;
}

/** Comes with the Kubernetes client, without types. */
const { WebSocketServer } = createRequire(import.meta.url)('ws') as {
  readonly WebSocketServer: new (options: { server: Server; handleProtocols: () => string }) => WebSockets;
};

/** How a kubelet names the protocol of forwarded ports: a data and an error channel for each, each beginning with the port. */
const protocol = 'v4.channel.k8s.io';

/**
 * Stands in for a node's kubelet as far as port forwarding goes: what the API server sends on to it goes to ports of this
 * machine, as `ports` has them for the ports of pods.
 */
export class FakeKubelet {
  readonly #server: Server;
  readonly #sockets: WebSockets;

  private constructor(server: Server, sockets: WebSockets) {
    this.#server = server;
    this.#sockets = sockets;
  }

  static async start(ports: Readonly<Record<number, number>>): Promise<FakeKubelet> {
    const { certificate, key } = await issue('localhost');
    const server = createServer({ cert: certificate, key }, (_request, response) => response.writeHead(404).end());
    const sockets = new WebSocketServer({ server, handleProtocols: () => protocol });
    sockets.on('connection', (socket, { url = '' }) => {
      const port = Number(new URL(url, 'https://kubelet').searchParams.get('port'));
      const target = connect(ports[port] ?? 1, '127.0.0.1');
      const first = Buffer.alloc(2);
      first.writeUInt16LE(port);
      for (const channel of [0, 1]) socket.send(Buffer.concat([Buffer.from([channel]), first]));
      target.on('data', (data) => socket.send(Buffer.concat([Buffer.from([0]), data])));
      target.on('close', () => socket.close()).on('error', () => socket.close());
      socket.on('message', (data: Buffer) => target.write(data.subarray(1)));
      socket.on('close', () => target.destroy()).on('error', () => target.destroy());
    });
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    return new FakeKubelet(server, sockets);
  }

  get port(): number {
    return (this.#server.address() as AddressInfo).port;
  }

  /** Makes the node, and a running pod on it. */
  async join(
    api: KubeApiServer,
    pod: { readonly namespace: string; readonly name: string },
    metadata: object,
  ): Promise<void> {
    const { client } = api;
    const patch = (path: string, body: object) =>
      client.json({ method: 'PATCH', path, body: JSON.stringify(body), contentType: 'application/merge-patch+json' });
    const node = `node-${this.port}`;
    await client.create(
      { group: '', version: 'v1', plural: 'nodes' },
      { apiVersion: 'v1', kind: 'Node', metadata: { name: node } },
    );
    await patch(`/api/v1/nodes/${node}/status`, {
      status: {
        addresses: [{ type: 'InternalIP', address: '127.0.0.1' }],
        daemonEndpoints: { kubeletEndpoint: { Port: this.port } },
      },
    });
    // A controller makes it where there is one.
    const account = {
      apiVersion: 'v1',
      kind: 'ServiceAccount',
      metadata: { namespace: pod.namespace, name: 'default' },
    };
    await client.apply({ group: '', version: 'v1', plural: 'serviceaccounts' }, account);
    const path = `/api/v1/namespaces/${pod.namespace}/pods`;
    const spec = {
      nodeName: node,
      automountServiceAccountToken: false,
      securityContext: { runAsNonRoot: true, runAsUser: 65532, seccompProfile: { type: 'RuntimeDefault' } },
      containers: [
        {
          name: 'control-plane',
          image: 'gatewright:test',
          securityContext: { allowPrivilegeEscalation: false, capabilities: { drop: ['ALL'] } },
        },
      ],
    };
    const body = { apiVersion: 'v1', kind: 'Pod', metadata: { ...metadata, ...pod }, spec };
    await client.json({ method: 'POST', path, body: JSON.stringify(body) });
    await patch(`${path}/${pod.name}/status`, { status: { phase: 'Running' } });
  }

  async stop(): Promise<void> {
    for (const socket of this.#sockets.clients) socket.terminate();
    this.#server.close();
    await once(this.#server, 'close');
  }
}
