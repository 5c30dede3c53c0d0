import { once } from 'node:events';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { KubeConfig } from '@kubernetes/client-node';
import { KubeClient } from '../../../src/kube/index.ts';

/** What one request gets; called in the order in which requests come. */
export type Answer = (request: IncomingMessage, response: ServerResponse) => void;

/**
 * A local HTTP server in the role of an API server, for what a real one does rarely or never on demand. Each request takes the next answer;
 * the last one stays for all that follow.
 */
export class ScriptedApi implements AsyncDisposable {
  readonly client: KubeClient;
  readonly kubeConfig: KubeConfig;
  /** Path and query of every request, in order. */
  readonly requests: URL[] = [];
  readonly #server: Server;

  private constructor(server: Server, port: number) {
    this.#server = server;
    const kubeConfig = new KubeConfig();
    kubeConfig.loadFromClusterAndUser(
      { name: 'scripted', server: `http://127.0.0.1:${port}`, skipTLSVerify: true },
      { name: 'user', token: 'secret-token' },
    );
    this.kubeConfig = kubeConfig;
    this.client = new KubeClient(kubeConfig);
  }

  static async start(...answers: readonly Answer[]): Promise<ScriptedApi> {
    const left = [...answers];
    const server = createServer((request, response) => {
      api.requests.push(new URL(request.url ?? '/', 'http://scripted'));
      const answer = left.length > 1 ? left.shift() : left[0];
      answer?.(request, response);
    }).listen(0, '127.0.0.1');
    await once(server, 'listening');
    const address = server.address();
    if (address === null || typeof address === 'string') throw new Error('no port');
    const api = new ScriptedApi(server, address.port);
    return api;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.client.close();
    this.#server.closeAllConnections();
    this.#server.close();
    await once(this.#server, 'close');
  }
}

export const json =
  (status: number, body: unknown, headers: Readonly<Record<string, string>> = {}): Answer =>
  (_, response) => {
    response.writeHead(status, { 'content-type': 'application/json', ...headers }).end(JSON.stringify(body));
  };

/** The API server's error body. */
export const failure = (
  status: number,
  reason: string,
  extra: object = {},
  headers: Readonly<Record<string, string>> = {},
): Answer => json(status, { kind: 'Status', code: status, reason, message: `${reason} it is`, ...extra }, headers);

export const object = (name: string, resourceVersion: string, uid = `uid-${name}`) => ({
  metadata: { name, namespace: 'default', uid, resourceVersion },
  spec: {},
});

/** One page of a list. */
export const page = (items: readonly object[], resourceVersion: string, next = ''): Answer =>
  json(200, { kind: 'List', metadata: { resourceVersion, continue: next }, items });

/** A watch that sends some events and then stays open, or ends. */
export const watch =
  (
    events: readonly { readonly type: string; readonly object: object }[],
    then: 'open' | 'end' | 'cut' = 'open',
  ): Answer =>
  (_, response) => {
    response.writeHead(200, { 'content-type': 'application/json' });
    response.write(events.map((event) => `${JSON.stringify(event)}\n`).join(''));
    if (then === 'end') response.end();
    else if (then === 'cut') setImmediate(() => response.destroy());
    else response.flushHeaders();
  };
