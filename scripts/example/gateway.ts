import type { EventEmitter } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { buildAddOns } from '../../src/app/addons/build-add-ons.ts';
import type { ControlPlane } from '../../src/app/control-plane/index.ts';
import { version } from '../../src/app/process/version.ts';
import { startRun } from '../../src/app/run/index.ts';
import { type Config, loadConfig } from '../../src/config/index.ts';
import type { Logger } from '../../src/telemetry/index.ts';
import { freePort } from '../free-port.ts';
import { startAuthServer } from './auth-server.ts';
import { type IssuedCertificate, issueCertificate } from './certificate.ts';
import { convertedManifests } from './converted.ts';
import { type AnyServer, closeServer, portOf, startEchoServer } from './echo-server.ts';
import type { Example, Login } from './example.ts';
import type { ExampleBackend } from './example-backend.ts';
import { type FakeProvider, startFakeProvider } from './fake-provider.ts';
import { startFirewall } from './firewall.ts';
import { startGrpcEchoServer } from './grpc-echo.ts';
import { issueBackends } from './issue-backends.ts';
import { type LoginProvider, startLoginProvider } from './login-provider.ts';
import {
  aiServicesIn,
  type EndpointPlace,
  endpointsIn,
  gatewaysIn,
  listenerPortsIn,
  movePorts,
  moveUrls,
  readManifests,
} from './manifests.ts';
import { mmdb } from './mmdb.ts';
import { type Pick, type PickRequest, startPicker } from './picker-server.ts';
import { startPools } from './pools.ts';
import { startProcessorServer } from './processor-server.ts';
import type { RunningExample } from './running-example.ts';
import { send } from './send.ts';
import { startDatagramServer, startStreamServer } from './stream-server.ts';

export interface StartExampleOptions {
  readonly name: string;
  readonly example: Example;
  readonly logger: Logger;
  /** Use the folder itself and the ports it names, so that edits show; else a copy on free ports. */
  readonly inPlace: boolean;
  /** Where its YAML is; its folder of `examples` by default. */
  readonly directory?: string;
}

export const exampleDirectory = (name: string): string =>
  fileURLToPath(new URL(`../../examples/${name}`, import.meta.url));

/** Starts an example's backends and a gateway over its folder, and resolves when every Gateway is programmed. */
export async function startExample({
  name,
  example,
  logger,
  inPlace,
  directory = exampleDirectory(name),
}: StartExampleOptions): Promise<RunningExample> {
  const { ingresses } = example;
  const documents = [...readManifests(directory), ...(ingresses ? await convertedManifests(directory, ingresses) : [])];
  const places = endpointsIn(documents);
  const tls = await issueBackends(example.tlsBackends ?? []);
  const received = new Map(places.map(({ service }) => [service, 0]));
  const pools = await startPools(example, documents, inPlace);
  const servers = await Promise.all(
    places.map(async ({ service, ...place }) =>
      startBackend(example, {
        ...place,
        service,
        // One that stops must leave its port to no other program, which would answer there.
        port: inPlace ? place.port : await freePort(),
        certificate: tls.certificates.get(service),
        pick: pools.pickers.get(service),
        onRequest: () => received.set(service, (received.get(service) ?? 0) + 1),
      }),
    ),
  );
  const models = new Map([...(await startModels(example, documents, inPlace)), ...pools.servers]);
  const copy =
    inPlace && !ingresses && !example.certificates && !example.tlsBackends && !example.login && !example.places
      ? undefined
      : mkdtempSync(join(tmpdir(), 'gatewright-example-'));
  const state = inPlace ? undefined : mkdtempSync(join(tmpdir(), 'gatewright-example-state-'));
  let control: ControlPlane | undefined;
  let provider: LoginProvider | undefined;
  const stop = async (): Promise<void> => {
    await control?.stop();
    const started = [...servers, ...models.values(), ...(provider ? [provider] : [])];
    await Promise.all(started.map((server) => server.close()));
    if (state) rmSync(state, { recursive: true, force: true });
    if (copy) rmSync(copy, { recursive: true, force: true });
  };
  try {
    const ports = new Map(places.map(({ port }, index) => [port, (servers[index] as ExampleBackend).port]));
    for (const [service, port] of aiServicesIn(documents)) ports.set(port, models.get(service)?.port ?? port);
    for (const [written, used] of pools.ports) ports.set(written, used);
    if (!inPlace) for (const port of listenerPortsIn(documents)) ports.set(port, await freePort());
    provider = await startLogin(example, ports, inPlace);
    const configMaps = [...tls.configMaps, ...(provider ? [provider.configMap] : [])];
    if (copy) await writeCopy(copy, { documents, ports, example, configMaps });
    const config = settings(example, inPlace, state);
    const path = copy ?? directory;
    control = await startRun({ config, path, logger, version, env: process.env, buildAddOns });
    await programmed(control, gatewaysIn(documents));
    if (example.login) await loginsKnown(example.login, ports);
    const stopBackend = async (port: number): Promise<void> => {
      const stopped = servers.filter((server) => server.port === port);
      await Promise.all(stopped.map((server) => server.close()));
    };
    return { control, ports, received, models, stopBackend, stop };
  } catch (error) {
    await stop();
    throw error;
  }
}

/** One for each AIService that is said to have one. */
async function startModels(
  { models = {} }: Example,
  documents: ReturnType<typeof readManifests>,
  inPlace: boolean,
): Promise<ReadonlyMap<string, FakeProvider>> {
  const ports = aiServicesIn(documents);
  const started = Object.entries(models).map(async ([name, schema]) => {
    const port = inPlace ? (ports.get(name) ?? 0) : 0;
    return [name, await startFakeProvider(schema, { port })] as const;
  });
  return new Map(await Promise.all(started));
}

/** Its port is put among `ports`, where that of the gateway is already. */
async function startLogin(
  { login }: Example,
  ports: Map<number, number>,
  inPlace: boolean,
): Promise<LoginProvider | undefined> {
  if (!login) return undefined;
  const urls = login.hosts.map((host) => `https://${host}:${ports.get(login.port) ?? login.port}`);
  const provider = await startLoginProvider(inPlace ? login.provider : 0, urls);
  ports.set(login.provider, provider.port);
  return provider;
}

interface BackendPlace extends EndpointPlace {
  readonly certificate: IssuedCertificate | undefined;
  /** It is the picker of a pool, and does this. */
  readonly pick: ((request: PickRequest) => Pick) | undefined;
  /** Called for each HTTP request, calls of gRPC included. */
  readonly onRequest: () => void;
}

async function startBackend(example: Example, place: BackendPlace): Promise<ExampleBackend> {
  const { service, address, port, protocol, onRequest } = place;
  if (place.pick) {
    const { port: used, die } = await startPicker({ pick: place.pick, address, port });
    return { port: used, close: die };
  }
  if (example.firewallBackends?.includes(service)) return await startFirewall(address, port);
  if (protocol === 'UDP') return await startDatagramServer(service, address, port);
  const stream = example.streams?.[service];
  if (stream) return await startStreamServer(service, address, port, stream === 'tcp' ? undefined : stream.tls);
  const server = await startHttpBackend(example, place);
  (server as EventEmitter).on('request', onRequest);
  return { port: portOf(server), close: () => closeServer(server) };
}

async function startHttpBackend(
  { grpcBackends = [], authBackends = [], processorBackends = [] }: Example,
  { service, address, port, certificate }: BackendPlace,
): Promise<AnyServer> {
  if (authBackends.includes(service)) return await startAuthServer(address, port);
  if (processorBackends.includes(service)) return await startProcessorServer(service, address, port);
  if (grpcBackends.includes(service)) return await startGrpcEchoServer(service, address, port);
  return await startEchoServer(service, address, port, certificate);
}

function settings(
  { allowedAddresses = [], ingress = false, envoyPatches = false, scripts = false, modules = false }: Example,
  inPlace: boolean,
  state: string | undefined,
): Config {
  const defaults = loadConfig(undefined, process.env);
  const config = {
    ...defaults,
    backends: { ...defaults.backends, allowedAddresses },
    ingress: { ...defaults.ingress, enabled: ingress || defaults.ingress.enabled },
    envoyPatches: { enabled: envoyPatches || defaults.envoyPatches.enabled },
    extensions: {
      ...defaults.extensions,
      lua: scripts || defaults.extensions.lua,
      wasm: modules || defaults.extensions.wasm,
    },
  };
  if (inPlace) return config;
  const anyPort = { port: 0 };
  return {
    ...config,
    xds: { ...config.xds, listen: anyPort },
    admin: { listen: anyPort, layout2Listen: anyPort },
    metrics: { ...config.metrics, listen: anyPort },
    state: { ...config.state, ...(state && { directory: state }) },
    dataplane: { ...config.dataplane, adminListen: anyPort },
  };
}

interface Copy {
  readonly documents: ReturnType<typeof readManifests>;
  readonly ports: ReadonlyMap<number, number>;
  readonly example: Example;
  readonly configMaps: readonly object[];
}

async function writeCopy(directory: string, { documents, ports, example, configMaps }: Copy): Promise<void> {
  movePorts(documents, ports);
  const text = documents.map((document) => document.toString({ directives: null })).join('---\n');
  writeFileSync(join(directory, 'example.yaml'), placed(moveUrls(text, ports), directory, example));
  for (const [index, configMap] of configMaps.entries())
    writeFileSync(join(directory, `authorities-${index}.json`), JSON.stringify(configMap));
  for (const { secret, namespace = 'default', hostnames, days } of example.certificates ?? []) {
    const { certificatePem, keyPem } = await issueCertificate(hostnames, days);
    const manifest = {
      apiVersion: 'v1',
      kind: 'Secret',
      type: 'kubernetes.io/tls',
      metadata: { name: secret, namespace },
      stringData: { 'tls.crt': certificatePem, 'tls.key': keyPem },
    };
    writeFileSync(join(directory, `${namespace}-${secret}.json`), JSON.stringify(manifest), { mode: 0o600 });
  }
}

/** The text with the path of the database of places, which is made beside it: a repository holds none of others. */
function placed(text: string, directory: string, { places }: Example): string {
  if (!places) return text;
  const path = join(directory, 'city.mmdb');
  writeFileSync(path, mmdb(places));
  return text.replaceAll('/geo/city.mmdb', path);
}

const deadlineMs = 60_000;
const pollMs = 20;

/** Waits for Envoys of other processes, so it looks again and again; a Gateway that does not come up says why. */
async function programmed({ graph }: ControlPlane, gateways: readonly string[]): Promise<void> {
  const deadline = Date.now() + deadlineMs;
  for (;;) {
    const waiting = gateways.filter((key) => !isProgrammed(graph.statusOf('Gateway', key)));
    if (waiting.length === 0) return;
    if (Date.now() > deadline) {
      throw new Error(
        `not programmed after ${deadlineMs / 1000} s: ${waiting.map((key) => `${key} ${JSON.stringify(graph.statusOf('Gateway', key))}`).join(', ')}`,
      );
    }
    await new Promise((resolve) => setTimeout(resolve, pollMs));
  }
}

/** Waits until every host has what the provider says of itself: until then it answers 503. */
async function loginsKnown({ hosts, port }: Login, ports: ReadonlyMap<number, number>): Promise<void> {
  const deadline = Date.now() + deadlineMs;
  const ask = (host: string) =>
    send({ scheme: 'https', host, port, path: '/', expect: { status: 302 } }, ports.get(port) ?? port);
  for (const host of hosts) {
    for (let { status } = await ask(host); status === 503; { status } = await ask(host)) {
      if (Date.now() > deadline) throw new Error(`${host} does not know its provider after ${deadlineMs / 1000} s`);
      await new Promise((resolve) => setTimeout(resolve, pollMs));
    }
  }
}

const isProgrammed = (status: ReturnType<ControlPlane['graph']['statusOf']>): boolean =>
  status?.kind === 'Gateway' &&
  status.conditions.some(({ type, status: value }) => type === 'Programmed' && value === 'True');
