import { createHash } from 'node:crypto';
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Endings } from './endings.ts';
import { startKeyServer } from './key-server.ts';

/** A layer's type that says that it is a module as it is. */
export const plainLayer = 'application/vnd.module.wasm.content.layer.v1+wasm';
/** An archive, as container images have them. */
export const archiveLayer = 'application/vnd.oci.image.layer.v1.tar+gzip';

export const manifestType = 'application/vnd.oci.image.manifest.v1+json';

/** A registry of this machine that speaks the OCI distribution protocol by HTTPS. */
export interface Registry {
  /** `localhost:PORT`, as references write it. */
  readonly host: string;
  readonly url: string;
  /** A ConfigMap with what its certificate is checked by. */
  trust(name: string): object;
  /** Paths of the requests so far. */
  readonly requests: readonly string[];
  /** Makes an image of one layer; gives the reference to it. */
  push(repository: string, layer: Uint8Array, mediaType?: string, manifest?: object): string;
  /** Answers a path that begins so by itself; undefined: not any more. */
  answerInstead(prefix: string, answer: Answer | undefined): void;
  stop(): Promise<void>;
}

type Answer = (request: IncomingMessage, response: ServerResponse) => void;

/** `credentials`: `USER:PASSWORD` without which its token server gives no token; undefined: it wants none. */
export async function startRegistry(t: Endings, credentials?: string): Promise<Registry> {
  const server = await startKeyServer(t);
  const content = new Map<string, Buffer>();
  const instead = new Map<string, Answer>();
  const put = (bytes: Uint8Array): string => {
    const digest = `sha256:${createHash('sha256').update(bytes).digest('hex')}`;
    content.set(digest, Buffer.from(bytes));
    return digest;
  };
  server.answer = (request, response) => {
    const { url = '/' } = request;
    const [, other] = [...instead].find(([prefix]) => url.startsWith(prefix)) ?? [];
    if (other) return other(request, response);
    if (url.startsWith('/token')) return giveToken(request, response, credentials);
    if (credentials !== undefined && request.headers.authorization !== `Bearer ${tokenOf(credentials)}`)
      return demandToken(server.url, response);
    const bytes = content.get(url.slice(url.lastIndexOf('/') + 1));
    if (!bytes) return void response.writeHead(404).end();
    response.writeHead(200, {
      'content-type': url.includes('/manifests/') ? manifestType : 'application/octet-stream',
    });
    response.end(bytes);
  };
  return {
    host: `localhost:${server.port}`,
    url: server.url,
    trust: server.trust,
    requests: server.requests,
    push(repository, layer, mediaType = plainLayer, manifest = {}) {
      const layers = [{ mediaType, digest: put(layer), size: layer.length }];
      const text = JSON.stringify({ schemaVersion: 2, mediaType: manifestType, layers, ...manifest });
      return `localhost:${server.port}/${repository}@${put(Buffer.from(text))}`;
    },
    answerInstead(prefix, answer) {
      if (answer) instead.set(prefix, answer);
      else instead.delete(prefix);
    },
    stop: server.stop,
  };
}

const tokenOf = (credentials: string): string => createHash('sha256').update(credentials).digest('hex');

function demandToken(url: string, response: ServerResponse): void {
  const challenge = `Bearer realm="${url}/token",service="registry.test",scope="repository:any:pull"`;
  response.writeHead(401, { 'www-authenticate': challenge }).end();
}

function giveToken({ headers }: IncomingMessage, response: ServerResponse, credentials = ''): void {
  const isRight = headers.authorization === `Basic ${Buffer.from(credentials).toString('base64')}`;
  if (!isRight) return void response.writeHead(401).end();
  response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify({ token: tokenOf(credentials) }));
}

/** An ExtensionPolicy with a module of an image; the target is an HTTPRoute unless it says otherwise. */
export const withImage = (
  name: string,
  target: { readonly kind?: string; readonly name: string },
  image: { readonly reference: string; readonly secretRef?: object; readonly caCertificateRef?: object },
  { namespace }: { readonly namespace?: string } = {},
) => ({
  apiVersion: 'gatewright.dev/v1alpha1',
  kind: 'ExtensionPolicy',
  metadata: { name, ...(namespace && { namespace }) },
  spec: {
    targetRefs: [{ group: 'gateway.networking.k8s.io', kind: 'HTTPRoute', ...target }],
    wasm: { image: { caCertificateRef: { name: 'registry-ca' }, ...image } },
  },
});

/** A Secret for `secretRef`. */
export const registrySecret = (name: string, credentials: string) => {
  const [username = '', password = ''] = credentials.split(':');
  return {
    apiVersion: 'v1',
    kind: 'Secret',
    metadata: { name, labels: { 'gatewright.dev/credentials': 'true' } },
    stringData: { username, password },
  };
};
