import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import type { Socket } from 'node:net';
import type { KubernetesObject } from '../../src/gateway-api/index.ts';
import { podAddress, podPort } from '../host/own-network.ts';
import { namespace } from '../peer/world.ts';

let started = 0;

/** A backend on an address that none had before; answers with its name. */
export class Pod {
  readonly address: string;
  readonly #server: Server;
  readonly #sockets = new Set<Socket>();

  private constructor(name: string, address: string) {
    this.address = address;
    this.#server = createServer((_request, response) => response.end(name));
    // Connections end when the pod does.
    this.#server.keepAliveTimeout = 0;
    this.#server.on('connection', (socket) => {
      this.#sockets.add(socket.unref());
      socket.once('close', () => this.#sockets.delete(socket));
    });
  }

  /** Resolves when it takes requests. */
  static async start(name: string): Promise<Pod> {
    started += 1;
    const pod = new Pod(name, podAddress(started));
    pod.#server.listen(podPort, pod.address);
    await once(pod.#server, 'listening');
    // A scene that is given up leaves its pods: they end with the bench.
    pod.#server.unref();
    return pod;
  }

  /** Takes no more connections, ends those there are behind what was answered, and is gone. */
  async stop(): Promise<void> {
    const closed = once(this.#server, 'close');
    this.#server.close();
    for (const socket of this.#sockets) socket.end();
    await closed;
  }
}

export interface Endpoint {
  readonly pod: Pod;
  readonly state: 'ready' | 'ending';
}

const conditions = {
  ready: { ready: true, serving: true, terminating: false },
  ending: { ready: false, serving: true, terminating: true },
};

export const service = (name: string): KubernetesObject => {
  const spec = { ports: [{ port: 80, targetPort: podPort }] };
  return { apiVersion: 'v1', kind: 'Service', metadata: { name, namespace }, spec };
};

/** The endpoints of a Service, as Kubernetes reports its pods. */
export const slice = (name: string, endpoints: readonly Endpoint[]): KubernetesObject =>
  ({
    apiVersion: 'discovery.k8s.io/v1',
    kind: 'EndpointSlice',
    metadata: { name, namespace, labels: { 'kubernetes.io/service-name': name } },
    addressType: 'IPv4',
    ports: [{ port: podPort }],
    endpoints: endpoints.map(({ pod, state }) => ({ addresses: [pod.address], conditions: conditions[state] })),
  }) as KubernetesObject;
