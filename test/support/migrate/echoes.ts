import http from 'node:http';
import net, { type AddressInfo } from 'node:net';
import tls from 'node:tls';
import { type KubernetesObject, keyOf } from '../../../src/gateway-api/index.ts';
import { testCertificates } from '../certificates.ts';
import type { Endings } from '../endings.ts';

/** Backends that say in headers which port of which Service they are, and what they were asked. They take HTTP and HTTPS at one port. */
export class Echoes {
  readonly #ports = new Map<string, Promise<number>>();
  readonly #endings: Endings;

  constructor(endings: Endings) {
    this.#endings = endings;
  }

  /** An EndpointSlice that leads to them, for each port of a Service; one without endpoints for a `silent` one. */
  async sliceOf(service: KubernetesObject, isSilent: boolean): Promise<KubernetesObject> {
    const { ports = [] } = service.spec as { readonly ports?: readonly { name?: string; port: number }[] };
    const { name, namespace } = service.metadata;
    const listening = await Promise.all(ports.map(({ port }) => this.#portOf(`${keyOf(service)}:${port}`)));
    return {
      apiVersion: 'discovery.k8s.io/v1',
      kind: 'EndpointSlice',
      metadata: { name: `${name}-1`, namespace, labels: { 'kubernetes.io/service-name': name } },
      addressType: 'IPv4',
      ports: ports.map(({ name: portName }, at) => ({
        ...(portName !== undefined && { name: portName }),
        port: listening[at],
      })),
      endpoints: isSilent ? [] : [{ addresses: ['127.0.0.1'] }],
    } as unknown as KubernetesObject;
  }

  #portOf(service: string): Promise<number> {
    const port = this.#ports.get(service) ?? this.#start(service);
    this.#ports.set(service, port);
    return port;
  }

  async #start(service: string): Promise<number> {
    const echo = http.createServer((request, response) => {
      request.resume();
      request.once('end', () =>
        response.writeHead(200, { 'x-echo-service': service, 'x-echo-target': request.url }).end(),
      );
    });
    // Envoy may be about to use a connection that would be closed for having been idle.
    echo.keepAliveTimeout = 0;
    const [{ certificate, key }] = testCertificates;
    const context = tls.createSecureContext({ cert: certificate, key });
    const sockets = new Set<net.Socket>();
    const server = net.createServer((socket) => {
      sockets.add(socket.on('error', () => undefined).once('close', () => sockets.delete(socket)));
      socket.once('data', (first: Buffer) => {
        socket.pause();
        socket.unshift(first);
        const isTls = first[0] === handshake;
        const plain = isTls ? new tls.TLSSocket(socket, { isServer: true, secureContext: context }) : socket;
        echo.emit(
          'connection',
          plain.on('error', () => undefined),
        );
        if (!isTls) socket.resume();
      });
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    this.#endings.teardown(() => {
      for (const socket of sockets) socket.destroy();
      server.close();
    });
    return (server.address() as AddressInfo).port;
  }
}

/** The first byte of a TLS connection. */
const handshake = 0x16;
