import { once } from 'node:events';
import { Agent, createServer, type IncomingHttpHeaders, request } from 'node:http';
import { connect as connectH2, type IncomingHttpHeaders as H2Headers } from 'node:http2';
import type { ExecutionContext } from 'ava';
import type { EnvoyResource } from '../../src/translate/index.ts';
import type { XdsServer } from '../../src/xds/index.ts';
import { type EnvoyProcess, startEnvoy, xdsBootstrap } from './envoy.ts';
import { type GatewayContent, gatewayKey, snapshotOf, translateAll } from './ir.ts';
import { pause } from './pace.ts';
import { nextEvent, publisher, removalOf, startXds } from './xds.ts';

export interface Proxy {
  readonly envoy: EnvoyProcess;
  /** Sends a change and waits until Envoy has applied it. */
  apply(
    upserts: readonly EnvoyResource[],
    removals?: readonly Pick<EnvoyResource, 'typeUrl' | 'name'>[],
  ): Promise<void>;
}

/** A real Envoy with everything that the gateway's IR comes to. */
export async function startProxy(
  t: ExecutionContext,
  content: GatewayContent,
  variant: 'delta' | 'sotw' = 'delta',
  clusters: readonly object[] = [],
): Promise<Proxy> {
  const { server, port, events } = await startXds(t);
  const publish = publisher(server, gatewayKey);
  const bootstrap = xdsBootstrap({ xds: port, nodeId: 'proxy', cluster: gatewayKey, variant, clusters });
  const envoy = await startEnvoy({ bootstrap });
  t.teardown(() => envoy.stop());
  const apply: Proxy['apply'] = async (upserts, removals = []) => {
    await applied(server, () => publish({ upserts, removals: removals.map(removalOf) }));
    const rejected = events.filter(({ kind }) => kind === 'nacked');
    if (rejected.length > 0) throw new Error(JSON.stringify(rejected));
  };
  await apply(translateAll(snapshotOf(content)));
  await envoy.ready();
  return { envoy, apply };
}

async function applied(server: XdsServer, publish: () => string): Promise<void> {
  let wanted = '';
  const event = nextEvent(server, (seen) => seen.kind === 'applied' && seen.snapshot === wanted);
  wanted = publish();
  await event;
}

export interface Echo {
  readonly headers: IncomingHttpHeaders;
  readonly rawHeaders: readonly string[];
}

/** A backend that reports what it got; `/held` is answered in two halves, the second when `release` is called, `/silent` never. */
export async function startBackend(t: ExecutionContext): Promise<{ port: number; release: () => void }> {
  const held: (() => void)[] = [];
  const server = createServer((incoming, response) => {
    if (incoming.url === '/held') {
      response.write('first half, ');
      held.push(() => response.end('second half'));
    } else if (incoming.url !== '/silent')
      response.end(JSON.stringify({ headers: incoming.headers, rawHeaders: incoming.rawHeaders } satisfies Echo));
  });
  server.on('upgrade', (_, socket) => {
    socket.end('HTTP/1.1 101 Switching Protocols\r\nconnection: upgrade\r\nupgrade: websocket\r\n\r\nhello');
  });
  // Envoy may be about to use a connection that would be closed for having been idle.
  server.keepAliveTimeout = 0;
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  t.teardown(() => {
    server.closeAllConnections();
    server.close();
  });
  return {
    port: (server.address() as { port: number }).port,
    release: () => {
      for (const end of held.splice(0)) end();
    },
  };
}

export interface Asked {
  readonly host: string;
  readonly path?: string;
  readonly headers?: Record<string, string | string[]>;
  readonly agent?: Agent;
  readonly onFirstByte?: () => void;
}

export interface Answer {
  readonly status: number;
  readonly route: string | undefined;
  readonly location: string | undefined;
  readonly body: string;
}

/** Sends one request, on a connection of its own unless the caller passes one. */
export function ask(port: number, { host, path = '/', headers = {}, agent, onFirstByte }: Asked): Promise<Answer> {
  return new Promise((resolve, reject) => {
    const options = { host: '127.0.0.1', port, path, headers: { host, ...headers }, agent: agent ?? (false as const) };
    const outgoing = request(options, (response) => {
      let body = '';
      response.setEncoding('utf8');
      response.on('data', (text: string) => {
        if (body === '') onFirstByte?.();
        body += text;
      });
      response.on('error', reject);
      response.on('end', () =>
        resolve({
          status: response.statusCode ?? 0,
          route: response.headers['x-route'] as string | undefined,
          location: response.headers.location,
          body,
        }),
      );
    });
    outgoing.on('error', reject);
    outgoing.end();
  });
}

/** Slow machines ask that often too. */
const leastAsked = 30;

/** Keeps asking over several connections until stopped, and `leastAsked` times; then returns how often and what else than 200 it saw. */
export function askAllTheTime(
  port: number,
  host: string,
  path = '/',
): () => Promise<{ count: number; failures: string[] }> {
  let running = true;
  let count = 0;
  const failures: string[] = [];
  const connections = Array.from({ length: 6 }, async () => {
    const agent = new Agent({ keepAlive: true, maxSockets: 1 });
    while (running || count < leastAsked) {
      await ask(port, { host, path, agent }).then(
        ({ status }) => status === 200 || failures.push(String(status)),
        (error: Error) => failures.push(error.message),
      );
      count += 1;
      await pause();
    }
    agent.destroy();
  });
  return async () => {
    running = false;
    await Promise.all(connections);
    return { count, failures };
  };
}

/** Of each request: HTTP/2, SNI and :authority chosen apart. */
export async function askH2(
  port: number,
  sni: string,
  asked: readonly { host: string; path: string }[],
): Promise<Answer[]> {
  const session = connectH2(`https://127.0.0.1:${port}`, { servername: sni, rejectUnauthorized: false });
  try {
    return await Promise.all(
      asked.map(async ({ host, path }) => {
        const stream = session.request({ ':authority': host, ':path': path });
        const [headers] = (await once(stream, 'response')) as [H2Headers];
        stream.resume();
        await once(stream, 'end');
        const name = headers['x-route'] as string | undefined;
        return { status: Number(headers[':status']), route: name, location: undefined, body: '' };
      }),
    );
  } finally {
    session.close();
  }
}
