import { createServer, type Server } from 'node:http';
import { createServer as createHttp2Server } from 'node:http2';
import https from 'node:https';
import type { AddressInfo } from 'node:net';
import { create, toBinary } from '@bufbuild/protobuf';
import { issueCertificate } from '../../scripts/example/certificate.ts';
import { providerOf } from '../../scripts/example/login-provider.ts';
import { CheckResponseSchema } from '../../src/envoy/index.ts';
import { backendAddress } from '../host/own-network.ts';

/** Servers that proxies ask, at the backend's address. All of them consent at once. */
export interface Servers {
  /** Forward auth by HTTP, and `envoy.service.auth.v3` by gRPC. */
  readonly httpAuthPort: number;
  readonly grpcAuthPort: number;
  /** A provider of OpenID Connect: by plain HTTP for proxies, and by HTTPS for browsers. */
  readonly tokenPort: number;
  readonly providerPort: number;
  close(): void;
}

/** `urls`: of the gateways, to which browsers come back. */
export async function startServers(urls: readonly string[]): Promise<Servers> {
  const httpAuth = createServer((_, response) => response.writeHead(200, { 'x-auth-user': 'ann' }).end());
  const grpcAuth = createHttp2Server((request, response) => {
    request.resume();
    request.once('end', () => {
      response.writeHead(200, { 'content-type': 'application/grpc' });
      response.addTrailers({ 'grpc-status': '0' });
      response.end(consent);
    });
  });
  const { certificatePem, keyPem } = await issueCertificate(['idp.example.com']);
  const forBrowsers = https.createServer({ cert: certificatePem, key: keyPem });
  const forProxies = createServer();
  const servers = [httpAuth, grpcAuth, forBrowsers, forProxies] as const;
  // Envoy may be about to use a connection that would be closed for having been idle.
  for (const server of [httpAuth, forProxies]) server.keepAliveTimeout = 0;
  for (const server of servers) {
    server.on('session', (session: { unref(): void }) => session.unref());
    await new Promise<void>((resolve) =>
      server.listen(0, server === forBrowsers ? '127.0.0.1' : backendAddress, resolve),
    );
  }
  const [httpAuthPort = 0, grpcAuthPort = 0, providerPort = 0, tokenPort = 0] = servers.map(
    (server) => (server.address() as AddressInfo).port,
  );
  const answer = (await providerOf(`https://idp.example.com:${providerPort}`, urls)).callback();
  forBrowsers.on('request', answer);
  forProxies.on('request', answer);
  return {
    httpAuthPort,
    grpcAuthPort,
    tokenPort,
    providerPort,
    close: () => {
      // Envoy may be about to use a connection that would be closed for having been idle.
      for (const server of [httpAuth, forProxies]) server.keepAliveTimeout = 0;
      for (const server of servers) {
        server.close();
        (server as Partial<Server>).closeAllConnections?.();
      }
    },
  };
}

/** Length and no compression, then a message: gRPC over HTTP/2, Length-Prefixed-Message. */
const consent = framed(
  toBinary(CheckResponseSchema, create(CheckResponseSchema, { httpResponse: { case: 'okResponse', value: {} } })),
);

function framed(message: Uint8Array): Buffer {
  const prefix = Buffer.alloc(5);
  prefix.writeUInt32BE(message.length, 1);
  return Buffer.concat([prefix, message]);
}
