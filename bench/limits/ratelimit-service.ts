import type { ChildProcess } from 'node:child_process';
import { connect } from 'node:net';
import { join } from 'node:path';
import { freePort } from '../../scripts/free-port.ts';
import { type KubernetesObject, kinds } from '../../src/gateway-api/index.ts';
import type { ResourceType } from '../../src/kube/index.ts';
import { until } from '../../test/support/until.ts';
import { backendAddress } from '../host/own-network.ts';
import type { EnvoyGateway } from '../peer/envoy-gateway.ts';
import type { Subject } from '../peer/subject.ts';
import { systemNamespace, type World } from '../peer/world.ts';
import { endChild, startChild } from '../support/children.ts';

const deployments: ResourceType = { group: 'apps', version: 'v1', plural: 'deployments' };
const serviceAccounts: ResourceType = { group: '', version: 'v1', plural: 'serviceaccounts' };

/** Of what Envoy Gateway's chart installs: it makes what it owns beside these. */
const owner = 'envoy-gateway';
/** Where Envoy Gateway serves the configuration of the ratelimit service. */
const configPort = 18001;

/** One that keeps nothing on disk. */
export async function startValkey(program: string, port: number, log: string): Promise<ChildProcess> {
  const parameters = ['--port', String(port), '--bind', '127.0.0.1', '--save', '', '--appendonly', 'no'];
  const child = await startChild(program, parameters, { log });
  await until('Valkey to listen', () => isOpen(port));
  return child;
}

const isOpen = (port: number): Promise<true | undefined> =>
  new Promise((resolve) => {
    const socket = connect(port, '127.0.0.1', () => {
      socket.destroy();
      resolve(true);
    });
    socket.once('error', () => resolve(undefined));
  });

/**
 * Envoy's ratelimit service as Envoy Gateway's Deployment of it would run, which no kubelet starts here: the same variables, and an EndpointSlice by
 * hand. `redis`: for Envoy Gateway's configuration. `beside`: the subject that starts and ends with it.
 */
export async function ratelimitFor(world: World, program: string, valkeyPort: number) {
  const redis = `localhost:${valkeyPort}`;
  const [grpc = 0, http = 0, debug = 0] = await Promise.all(Array.from({ length: 3 }, freePort));
  for (const [type, object] of objects(grpc)) await world.api.client.apply(type, object);
  let child: ChildProcess | undefined;
  const start = async (certificates: string) => {
    const file = (name: string) => join(certificates, name);
    const env = {
      PORT: String(http),
      DEBUG_PORT: String(debug),
      GRPC_PORT: String(grpc),
      RUNTIME_ROOT: world.api.directory,
      RUNTIME_SUBDIRECTORY: 'ratelimit',
      RUNTIME_IGNOREDOTFILES: 'true',
      RUNTIME_WATCH_ROOT: 'false',
      LOG_LEVEL: 'info',
      USE_STATSD: 'false',
      CONFIG_TYPE: 'GRPC_XDS_SOTW',
      CONFIG_GRPC_XDS_SERVER_URL: `127.0.0.1:${configPort}`,
      CONFIG_GRPC_XDS_SERVER_TLS_SAN: owner,
      CONFIG_GRPC_XDS_NODE_ID: 'envoy-ratelimit',
      CONFIG_GRPC_XDS_SERVER_USE_TLS: 'true',
      CONFIG_GRPC_XDS_CLIENT_TLS_CERT: file('tls.crt'),
      CONFIG_GRPC_XDS_CLIENT_TLS_KEY: file('tls.key'),
      CONFIG_GRPC_XDS_SERVER_TLS_CACERT: file('ca.crt'),
      GRPC_SERVER_USE_TLS: 'true',
      GRPC_SERVER_TLS_CERT: file('tls.crt'),
      GRPC_SERVER_TLS_KEY: file('tls.key'),
      GRPC_SERVER_TLS_CA_CERT: file('ca.crt'),
      FORCE_START_WITHOUT_INITIAL_CONFIG: 'true',
      XDS_CLIENT_BACKOFF_INITIAL_INTERVAL: '1s',
      REDIS_SOCKET_TYPE: 'tcp',
      REDIS_URL: redis,
    };
    child = await startChild(program, [], { log: join(world.api.directory, 'ratelimit.log'), env });
  };
  return { redis, beside: (subject: EnvoyGateway): Subject => besideOf(subject, start, () => endChild(child)) };
}

/** The same subject, with the service. */
function besideOf(
  subject: EnvoyGateway,
  start: (certificates: string) => Promise<void>,
  stop: () => Promise<void>,
): Subject {
  return {
    name: `${subject.name} with ratelimit and Valkey`,
    version: subject.version,
    gateway: subject.gateway,
    user: subject.user,
    xdsPort: subject.xdsPort,
    probe: subject.probe,
    crash: () => subject.crash(),
    streams: () => subject.streams(),
    processes: () => subject.processes(),
    async start() {
      await subject.start();
      await start(subject.certificatesOf('envoy-rate-limit'));
    },
    async stop() {
      await stop();
      await subject.stop();
    },
  };
}

function objects(port: number): [ResourceType, KubernetesObject][] {
  const metadata = { name: owner, namespace: systemNamespace };
  const labels = { app: owner };
  const template = { metadata: { labels }, spec: { containers: [{ name: owner, image: 'never-runs' }] } };
  const deployment = {
    apiVersion: 'apps/v1',
    kind: 'Deployment',
    metadata,
    spec: { selector: { matchLabels: labels }, template },
  };
  const service = { apiVersion: 'v1', kind: 'Service', metadata, spec: { ports: [{ name: 'grpc', port: 18000 }] } };
  const slice = {
    apiVersion: 'discovery.k8s.io/v1',
    kind: 'EndpointSlice',
    metadata: {
      name: 'envoy-ratelimit-1',
      namespace: systemNamespace,
      labels: { 'kubernetes.io/service-name': 'envoy-ratelimit' },
    },
    addressType: 'IPv4',
    ports: [{ name: 'http', port, protocol: 'TCP' }],
    endpoints: [{ addresses: [backendAddress], conditions: { ready: true } }],
  };
  return [
    [serviceAccounts, { apiVersion: 'v1', kind: 'ServiceAccount', metadata }],
    [deployments, deployment as KubernetesObject],
    [kinds.Service, service as KubernetesObject],
    [kinds.EndpointSlice, slice as KubernetesObject],
  ];
}
