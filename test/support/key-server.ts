import type { IncomingMessage, ServerResponse } from 'node:http';
import https from 'node:https';
import type { AddressInfo } from 'node:net';
import { type CryptoKey, exportJWK, generateKeyPair, type JWK, SignJWT } from 'jose';
import { createAuthority } from '../../scripts/example/certificate.ts';
import { issue } from './certificates.ts';
import type { Endings } from './endings.ts';

/** An https server of this machine that policies name. */
export interface KeyServer {
  /** `https://localhost:PORT`, or with an address. */
  readonly url: string;
  readonly port: number;
  /** A ConfigMap `NAME` with what its certificate is checked by. */
  trust(name: string): object;
  /** Paths of the requests so far. */
  readonly requests: readonly string[];
  /** What it answers from now on. */
  answer: (request: IncomingMessage, response: ServerResponse) => void;
  stop(): Promise<void>;
  /** Opens its port again. It needs one of its own (freePort): another process may have taken any other meanwhile. */
  start(): Promise<void>;
}

/** What `backends.allowedAddresses` must have for it. */
export const keyServerAddresses = ['127.0.0.1/32', '::1/128'] as const;

export async function startKeyServer(t: Endings, port = 0): Promise<KeyServer> {
  const { certificate, key } = await issue('localhost');
  return listening(t, { certificate, key, authority: certificate, port, address: '127.0.0.1', host: 'localhost' });
}

/** One at ::1, which its URL names by this address. */
export async function startSixServer(t: Endings): Promise<KeyServer> {
  const address = '::1';
  const authority = await createAuthority('six');
  const { certificatePem, keyPem } = await authority.issue({ hostnames: [], ips: [address], subject: 'CN=six server' });
  const made = { certificate: certificatePem, key: keyPem, authority: authority.certificatePem };
  return listening(t, { ...made, port: 0, address, host: `[${address}]` });
}

interface Listening {
  readonly certificate: string;
  readonly key: string;
  /** What the certificate is checked by. */
  readonly authority: string;
  readonly port: number;
  readonly address: string;
  /** Of its URL. */
  readonly host: string;
}

async function listening(
  t: Endings,
  { certificate, key, authority, port, address, host }: Listening,
): Promise<KeyServer> {
  const requests: string[] = [];
  const server = https.createServer({ cert: certificate, key }, (request, response) => {
    requests.push(request.url ?? '');
    started.answer(request, response);
  });
  // Envoy may be about to use a connection that would be closed for having been idle.
  server.keepAliveTimeout = 0;
  const open = (at: number) =>
    new Promise<void>((resolve, reject) => {
      server.once('error', reject).listen(at, address, () => {
        server.off('error', reject);
        resolve();
      });
    });
  await open(port);
  const { port: own } = server.address() as AddressInfo;
  const stop = () =>
    new Promise<void>((resolve) => {
      server.closeAllConnections();
      server.close(() => resolve());
    });
  const started: KeyServer = {
    url: `https://${host}:${own}`,
    port: own,
    trust: (name) => ({ apiVersion: 'v1', kind: 'ConfigMap', metadata: { name }, data: { 'ca.crt': authority } }),
    requests,
    answer: (_, response) => response.writeHead(404).end(),
    stop,
    start: () => open(own),
  };
  t.teardown(stop);
  return started;
}

/** One who signs tokens. */
export interface Signer {
  readonly jwk: JWK;
  readonly privateKey: CryptoKey;
  token(claims?: Record<string, unknown>, more?: { readonly kid?: string; readonly expires?: string }): Promise<string>;
}

export const issuer = 'https://id.example.com';

export async function signer(kid: string, alg = 'ES256'): Promise<Signer> {
  const { privateKey, publicKey } = await generateKeyPair(alg, { extractable: true });
  return {
    jwk: { ...(await exportJWK(publicKey)), kid, alg, use: 'sig' },
    privateKey,
    token: (claims = {}, more = {}) =>
      new SignJWT({ sub: 'alice', ...claims })
        .setProtectedHeader({ alg, kid: more.kid ?? kid })
        .setIssuer(typeof claims.iss === 'string' ? claims.iss : issuer)
        .setIssuedAt()
        .setExpirationTime(more.expires ?? '1h')
        .sign(privateKey),
  };
}

export const keySet = (signers: readonly Pick<Signer, 'jwk'>[], more: readonly object[] = []): string =>
  JSON.stringify({ keys: [...signers.map(({ jwk }) => jwk), ...more] });

/** A handler that answers every path with this. */
export const json =
  (body: string, headers: Record<string, string> = {}) =>
  (_: IncomingMessage, response: ServerResponse): void => {
    response.writeHead(200, { 'content-type': 'application/json', ...headers }).end(body);
  };

/** An AccessPolicy for a route that takes tokens of one provider. */
export const jwtPolicy = (name: string, route: string, jwks: object, more: object = {}): object => ({
  apiVersion: 'gatewright.dev/v1alpha1',
  kind: 'AccessPolicy',
  metadata: { name },
  spec: {
    targetRefs: [{ group: 'gateway.networking.k8s.io', kind: 'HTTPRoute', name: route }],
    jwt: { providers: [{ name: 'idp', issuer, jwks, ...more }] },
  },
});
