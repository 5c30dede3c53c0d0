import { mkdtempSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import http from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Writable } from 'node:stream';
import { stringify } from 'yaml';
import { closeServer, type Echo, portOf, startEchoServer } from '../../scripts/example/echo-server.ts';
import { freePort } from '../../scripts/free-port.ts';
import { buildAddOns } from '../../src/app/addons/build-add-ons.ts';
import type { ControlPlane } from '../../src/app/control-plane/index.ts';
import { findDefinitions } from '../../src/app/process/index.ts';
import { startRun } from '../../src/app/run/index.ts';
import { type Config, loadConfig, SecretText } from '../../src/config/index.ts';
import type { KindName, PolicyStatus } from '../../src/gateway-api/index.ts';
import { createLogger } from '../../src/telemetry/index.ts';
import { agentToken } from './agent-world.ts';
import { until } from './until.ts';
import { validatorOf, validatorOfOneThread } from './validator.ts';

export interface Answer {
  readonly status: number;
  readonly echo?: Echo;
}

/** A gateway over a directory of its own, with everything real: control plane, agent, Envoy, backends. */
export interface Standalone {
  readonly control: ControlPlane;
  readonly directory: string;
  /** Where settings are kept. */
  readonly stateDirectory: string;
  /** What `gateway.yaml` holds at first. */
  readonly gatewayObjects: readonly object[];
  /** Of the one HTTP listener. */
  readonly port: number;
  /** Of the agent's admin API. */
  readonly agentPort: number;
  /** Every line that was logged so far, parsed. */
  readonly log: readonly Record<string, unknown>[];
  /** Writes a file of the directory; objects become one YAML document each. */
  write(file: string, ...objects: readonly object[]): void;
  /** Writes a file of the directory as it is, in one step. */
  writeText(file: string, text: string): void;
  remove(file: string): void;
  /** Starts a backend; returns a Service and an EndpointSlice that lead to it. */
  backend(name: string): Promise<object[]>;
  get(host: string, path?: string): Promise<Answer>;
  json(port: number, path: string): Promise<{ readonly status: number; readonly body: never }>;
  stop(): Promise<void>;
}

const api = { apiVersion: 'gateway.networking.k8s.io/v1' } as const;

export const gatewayObjects = (port: number, listenOn?: string): object[] => [
  {
    ...api,
    kind: 'GatewayClass',
    metadata: { name: 'gatewright' },
    spec: { controllerName: 'gatewright.dev/gateway-controller' },
  },
  {
    ...api,
    kind: 'Gateway',
    metadata: { name: 'edge' },
    spec: {
      gatewayClassName: 'gatewright',
      listeners: [{ name: 'http', port, protocol: 'HTTP' }],
      ...(listenOn && { addresses: [{ type: 'IPAddress', value: listenOn }] }),
    },
  },
];

/** As `gatewayObjects`, with a DataPlane of the Gateway's own. */
export function gatewayWithDataPlane(port: number, dataPlane: object): object[] {
  const [gatewayClass, gateway] = gatewayObjects(port) as [object, { readonly spec: object }];
  const parametersRef = { group: 'gatewright.dev', kind: 'DataPlane', name: 'edge' };
  return [
    gatewayClass,
    { ...gateway, spec: { ...gateway.spec, infrastructure: { parametersRef } } },
    { apiVersion: 'gatewright.dev/v1alpha1', kind: 'DataPlane', metadata: { name: 'edge' }, spec: dataPlane },
  ];
}

export const routeObject = (name: string, host: string, rules: readonly object[]): object => ({
  ...api,
  kind: 'HTTPRoute',
  metadata: { name },
  spec: { parentRefs: [{ name: 'edge' }], hostnames: [host], rules },
});

/**
 * So many routes for paths `/crowd-0`, `/crowd-1`, … of a host that it is cut up into parts (src/translate/hosts). They
 * are short, for a file of more than 32 KiB is read in a thread, and that takes a second of CPU time to start from sources.
 */
export const crowdObjects = (host: string, backend: string): object[] =>
  Array.from({ length: 8 }, (_, route) =>
    routeObject(`crowd-${host}-${route}`, host, [
      {
        matches: Array.from({ length: 64 }, (_, at) => ({
          path: { value: `/crowd-${route * 64 + at}` },
        })),
        backendRefs: [{ name: backend, port: 80 }],
      },
    ]),
  );

export interface StandaloneOptions {
  /** Of its proxies. */
  readonly zone?: string;
  /** The address that the Gateway asks for, else loopback. */
  readonly listenOn?: string | undefined;
  /** `backends.allowedAddresses`: what names and addresses in XBackends and AIServices may lead to. */
  readonly allowedAddresses?: readonly string[];
  /** Name servers of its proxies. */
  readonly nameServers?: readonly { readonly host: string; readonly port: number }[];
  /** Where settings are kept; one of its own, which is removed with it, unless it is given. */
  readonly stateDirectory?: string;
  /** What is kept of the log. Every line costs its parsing. */
  readonly logLevel?: 'debug' | 'info';
  /** Also reads long files in this thread, for another one takes seconds of CPU time to start from sources. */
  readonly hasOneThread?: boolean;
  /** What differs from the defaults. */
  readonly config?: Partial<Config>;
}

/** Starts it with the files given beside a Gateway `edge` with one HTTP listener. */
export async function startStandalone(
  files: Readonly<Record<string, readonly object[]>> = {},
  options: StandaloneOptions = {},
): Promise<Standalone> {
  const { zone, listenOn, allowedAddresses = [], nameServers, config = {}, logLevel = 'debug' } = options;
  const { stateDirectory: given, hasOneThread = false } = options;
  const definitions = findDefinitions(process.env);
  const directory = mkdtempSync(join(tmpdir(), 'gatewright-standalone-'));
  const stateDirectory = given ?? mkdtempSync(join(tmpdir(), 'gatewright-state-'));
  const port = await freePort();
  const agentPort = await freePort();
  const servers: http.Server[] = [];
  const log: Record<string, unknown>[] = [];
  const destination = new Writable({
    write(chunk: Buffer, _encoding, done) {
      for (const line of chunk.toString().split('\n').filter(Boolean)) log.push(JSON.parse(line));
      done();
    },
  });
  // In one step: a file that is written in place is empty for as long as the processor has other work.
  const writeText = (file: string, text: string) => {
    const written = join(stateDirectory, 'written.yaml');
    writeFileSync(written, text);
    renameSync(written, join(directory, file));
  };
  const write = (file: string, ...objects: readonly object[]) =>
    writeText(file, objects.map((object) => stringify(object)).join('---\n'));
  write('gateway.yaml', ...gatewayObjects(port, listenOn));
  for (const [file, objects] of Object.entries(files)) write(file, ...objects);
  const anyPort = { port: 0 };
  const defaults = loadConfig(undefined, {});
  const control = await startRun({
    buildAddOns,
    config: {
      ...defaults,
      xds: { ...defaults.xds, listen: anyPort },
      admin: { listen: anyPort, layout2Listen: anyPort },
      metrics: { ...defaults.metrics, listen: anyPort },
      state: { ...defaults.state, directory: stateDirectory },
      dataplane: {
        ...defaults.dataplane,
        zone,
        nameServers,
        adminListen: { port: agentPort },
        adminAuth: { protect: [], bearerToken: new SecretText(agentToken) },
      },
      backends: { ...defaults.backends, allowedAddresses },
      ...config,
    },
    path: directory,
    validator: hasOneThread ? await validatorOfOneThread(definitions) : await validatorOf(definitions),
    logger: createLogger({ level: logLevel, destination }),
    version: 'test',
    env: process.env,
  });
  return {
    control,
    directory,
    stateDirectory,
    gatewayObjects: gatewayObjects(port),
    port,
    agentPort,
    log,
    write,
    writeText,
    remove: (file) => rmSync(join(directory, file)),
    async backend(name) {
      const server = await startEchoServer(name, '127.0.0.1', 0);
      servers.push(server);
      return backendObjects(name, portOf(server));
    },
    get: (host, path = '/') => ask(port, path, host),
    async json(apiPort, path) {
      const { status, text } = await request(apiPort, path, undefined, apiPort === agentPort ? agentToken : undefined);
      return { status, body: JSON.parse(text) as never };
    },
    async stop() {
      await control.stop();
      await Promise.all(servers.map(closeServer));
      rmSync(directory, { recursive: true, force: true });
      rmSync(stateDirectory, { recursive: true, force: true });
    },
  };
}

/** A Service and an EndpointSlice that lead to a port of this machine. */
export const backendObjects = (name: string, port: number): object[] => [
  { apiVersion: 'v1', kind: 'Service', metadata: { name }, spec: { ports: [{ port: 80 }] } },
  {
    apiVersion: 'discovery.k8s.io/v1',
    kind: 'EndpointSlice',
    metadata: { name: `${name}-1`, labels: { 'kubernetes.io/service-name': name } },
    addressType: 'IPv4',
    ports: [{ port }],
    endpoints: [{ addresses: ['127.0.0.1'] }],
  },
];

async function ask(port: number, path: string, host: string): Promise<Answer> {
  const { status, text } = await request(port, path, host);
  return { status, ...(status === 200 && { echo: JSON.parse(text) as Echo }) };
}

function request(
  port: number,
  path: string,
  host = 'localhost',
  token?: string,
): Promise<{ status: number; text: string }> {
  const headers = { host, ...(token !== undefined && { authorization: `Bearer ${token}` }) };
  return new Promise((resolve, reject) => {
    http
      .get({ host: '127.0.0.1', port, path, headers, agent: false }, (response) => {
        let text = '';
        response.on('data', (chunk: Buffer) => {
          text += chunk.toString();
        });
        response.once('end', () => resolve({ status: response.statusCode ?? 0, text }));
      })
      .once('error', reject);
  });
}

/** A data plane is ready and has applied the newest snapshot. */
export const isCurrent = ({ control: { graph, xds } }: Standalone): boolean =>
  xds.nodes.list().some(({ ready, lastAckVersion }) => ready && lastAckVersion === graph.snapshot()?.id);

/** Resolves when a data plane has the last snapshot: one may come while the one before it is taken. */
export async function untilCurrent(standalone: Standalone): Promise<void> {
  const { builder, graph } = standalone.control;
  let id: string | undefined;
  do {
    await builder.settled();
    id = graph.snapshot()?.id;
    await until('the proxy to have all', () => isCurrent(standalone));
    await builder.settled();
  } while (graph.snapshot()?.id !== id);
}

/** Resolves when these objects are known, and a data plane has all that is: files that are written together may be read apart. */
export async function untilRead(
  standalone: Standalone,
  ...objects: readonly (readonly [KindName, string])[]
): Promise<void> {
  const { graph } = standalone.control;
  await until('all files to be read', () => objects.every(([kind, key]) => graph.find(kind, key) !== undefined));
  await untilCurrent(standalone);
}

/** The raw text of a file of the directory. */
export const textOf = ({ directory }: Standalone, file: string): string => readFileSync(join(directory, file), 'utf8');

/** All conditions of an AccessPolicy of the namespace `default`; empty without a status. */
export function policyConditionsOf({ control }: Standalone, name: string): string {
  const { ancestors = [] } = (control.graph.statusOf('AccessPolicy', `default/${name}`) ?? {}) as Partial<PolicyStatus>;
  return ancestors
    .flatMap(({ conditions }) => conditions.map((one) => `${one.type}=${one.status} ${one.reason} ${one.message}`))
    .join('; ');
}
