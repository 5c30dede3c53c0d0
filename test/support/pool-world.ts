import http from 'node:http';
import { isDeepStrictEqual } from 'node:util';
import { type PickerOptions, type PickerServer, startPicker } from '../../scripts/example/picker-server.ts';
import { freePort } from '../../scripts/free-port.ts';
import type { Condition } from '../../src/gateway-api/index.ts';
import { testCertificates } from './certificates.ts';
import type { Endings } from './endings.ts';
import { type HttpAnswer, type HttpRequest, send, serviceObjects } from './http.ts';
import { isCurrent, routeObject, type Standalone, startStandalone } from './standalone.ts';
import { untilFits } from './until.ts';

/** A model server, at an address of its own and the port of all. */
export interface ModelServer {
  readonly endpoint: string;
  /** Bodies of what it was asked. */
  readonly asked: readonly string[];
  readonly headers: readonly http.IncomingHttpHeaders[];
  readonly stop: () => Promise<void>;
}

export type Answering = (request: http.IncomingMessage, response: http.ServerResponse, body: string) => void;

export interface PoolSpec {
  readonly failureMode?: 'FailOpen' | 'FailClose';
  readonly mode?: string;
  /** Name of the Service; null: it has none. */
  readonly picker?: string | null;
  readonly app?: string;
  readonly more?: object;
}

export const poolObject = (
  name: string,
  port: number,
  { failureMode, mode, picker = 'picker', app = name, more }: PoolSpec = {},
) => ({
  apiVersion: 'inference.networking.k8s.io/v1',
  kind: 'InferencePool',
  metadata: { name, ...(mode && { annotations: { 'gatewright.dev/endpoint-picker-mode': mode } }) },
  spec: {
    selector: { matchLabels: { app } },
    targetPorts: [{ number: port }],
    ...(picker !== null && {
      endpointPickerRef: { name: picker, port: { number: 80 }, ...(failureMode && { failureMode }) },
    }),
    ...more,
  },
});

export const podObject = (name: string, app: string, address: string, ready = 'True') => ({
  apiVersion: 'v1',
  kind: 'Pod',
  metadata: { name, labels: { app } },
  status: { podIPs: [{ ip: address }], conditions: [{ type: 'Ready', status: ready }] },
});

export const poolRef = (name: string, weight = 1) => ({
  group: 'inference.networking.k8s.io',
  kind: 'InferencePool',
  name,
  weight,
});

export interface PoolWorld extends Standalone {
  readonly servers: readonly ModelServer[];
  /** How many requests the model servers have got. */
  heard(): number;
  readonly modelPort: number;
  readonly picker: PickerServer;
  /** Asks the proxy for `a.test`. */
  ask(request?: Partial<HttpRequest>): Promise<HttpAnswer>;
  /** Writes the pool, and waits until the proxy has it. */
  pool(spec?: PoolSpec): Promise<void>;
  settled(): Promise<void>;
}

interface PoolWorldOptions {
  readonly picker: Omit<PickerOptions, 'tls' | 'port' | 'address'>;
  readonly pool?: PoolSpec;
  readonly answer?: Answering;
  /** The picker shows a certificate, as most do. */
  readonly tls?: boolean;
  readonly count?: number;
}

/** As its definition fills it in. */
const pickerAsRead = ({ spec }: ReturnType<typeof poolObject>) =>
  'endpointPickerRef' in spec
    ? { group: '', kind: 'Service', failureMode: 'FailClose', ...(spec.endpointPickerRef as object) }
    : undefined;

/** A route that says which revision of the files a thread of the proxy has. */
const markerOf = (revision: number) =>
  routeObject('marker', 'marker.test', [
    { filters: [{ type: 'RequestRedirect', requestRedirect: { hostname: `revision-${revision}.test` } }] },
  ]);

const tlsDisabled = { 'gatewright.dev/endpoint-picker-tls': 'Disabled' };

/** The Service of a picker on this machine, and its EndpointSlice. */
export function pickerObjects(name: string, port: number, tls = false): object[] {
  const [service, ...slices] = serviceObjects(name, [port]) as [{ readonly metadata: object }, ...object[]];
  const metadata = { ...service.metadata, ...(!tls && { annotations: tlsDisabled }) };
  return [{ ...service, metadata }, ...slices];
}

/** A pool `llama` of model servers on 127.0.0.11 and after, and a picker; all requests for `a.test` go there. */
export async function startPoolWorld(t: Endings, options: PoolWorldOptions): Promise<PoolWorld> {
  const { tls = false, answer = echo, count = 3 } = options;
  const modelPort = await freePort();
  const addresses = Array.from({ length: count }, (_, index) => `127.0.0.${11 + index}`);
  const servers = await Promise.all(addresses.map((address) => startModelServer(t, address, modelPort, answer)));
  const [{ certificate: cert, key }] = testCertificates;
  const picker = await startPicker({ ...options.picker, ...(tls && { tls: { cert, key } }) });
  t.teardown(picker.die);
  const world = await startStandalone({
    'picker.yaml': pickerObjects('picker', picker.port, tls),
    'pods.yaml': addresses.map((address, index) => podObject(`llama-${index}`, 'llama', address)),
    'pool.yaml': [poolObject('llama', modelPort, options.pool)],
    'routes.yaml': [routeObject('models', 'a.test', [{ backendRefs: [poolRef('llama')] }])],
  });
  t.teardown(world.stop);
  const settled = settledBy(world);
  await settled();
  return {
    ...world,
    servers,
    heard: () => servers.reduce((sum, { asked }) => sum + asked.length, 0),
    modelPort,
    picker,
    settled,
    ask: (request = {}) => send(world.port, { host: 'a.test', ...request }),
    async pool(spec) {
      await writePool(world, poolObject('llama', modelPort, spec));
      await settled();
    },
  };
}

/** Writes the pool `llama`, and waits until it is read. */
export async function writePool(world: Standalone, written: ReturnType<typeof poolObject>): Promise<void> {
  world.write('pool.yaml', written);
  const known = () => world.control.graph.find('InferencePool', 'default/llama');
  await untilFits(
    'the pool to be read',
    () => [known()?.spec.endpointPickerRef, known()?.spec.selector, known()?.metadata.annotations],
    (found) => isDeepStrictEqual(found, [pickerAsRead(written), written.spec.selector, written.metadata.annotations]),
  );
}

/** Waits until all threads of the proxy have what was written before. */
export function settledBy(world: Standalone): () => Promise<void> {
  let revision = 0;
  const shown = async () => {
    const answers = await Promise.all(Array.from({ length: 16 }, () => send(world.port, { host: 'marker.test' })));
    return answers.map(({ headers }) => Number(/revision-(\d+)/.exec(headers.location ?? '')?.[1]));
  };
  return async () => {
    // What was acknowledged before another revision is known has reached each thread that knows this one.
    for (const _ of ['acknowledged', 'known to all threads']) {
      revision++;
      world.write('marker.yaml', markerOf(revision));
      await untilFits('all threads of the proxy to have it', shown, (all) => all.every((each) => each === revision));
      await untilFits('all of it to be applied', async () => isCurrent(world), Boolean);
    }
  };
}

async function startModelServer(t: Endings, address: string, port: number, answer: Answering): Promise<ModelServer> {
  const asked: string[] = [];
  const headers: http.IncomingHttpHeaders[] = [];
  const server = http.createServer((request, response) => {
    let body = '';
    request.setEncoding('utf8').on('data', (text: string) => {
      body += text;
    });
    request.once('end', () => {
      asked.push(body);
      headers.push(request.headers);
      response.setHeader('x-server', address);
      answer(request, response, body);
    });
  });
  // Envoy may be about to use a connection that would be closed for having been idle.
  server.keepAliveTimeout = 0;
  await new Promise<void>((resolve, reject) => server.once('error', reject).listen(port, address, resolve));
  const stop = () =>
    new Promise<void>((resolve) => {
      server.close(() => resolve());
      server.closeAllConnections();
    });
  t.teardown(stop);
  return { endpoint: `${address}:${port}`, asked, headers, stop };
}

export const echo: Answering = (_, response, body) => response.end(body);

/** What a pool says of itself to the Gateway. */
export function poolCondition({ control }: Standalone, type: string, pool = 'llama'): Condition | undefined {
  const status = control.graph.statusOf('InferencePool', `default/${pool}`);
  return status && 'parents' in status
    ? status.parents[0]?.conditions.find((condition) => condition.type === type)
    : undefined;
}
