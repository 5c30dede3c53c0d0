import { once } from 'node:events';
import { type AddressInfo, createServer, type Socket } from 'node:net';
import { CoreV1Api, type KubeConfig, PortForward } from '@kubernetes/client-node';
import { CliError } from './cli-error.ts';
import { type ClusterChoice, loadKubeConfig } from './kube-config.ts';

export interface ClusterPlace extends ClusterChoice {
  /** Where the control plane is installed. */
  readonly namespace: string;
}

/** A way to a port of a pod in the cluster, as a port of this machine. */
export interface Forwarded {
  readonly url: string;
  /** Where the control plane keeps the tokens of its admin API; undefined when its pod does not say. */
  readonly tokenSecret: string | undefined;
  /** Why the latest connection could not be made; undefined when it could. */
  readonly failure: () => string | undefined;
  close(): void;
}

/** The pods of the control plane. */
export const controlPlaneSelector = 'app.kubernetes.io/name=gatewright,app.kubernetes.io/component=control-plane';

/**
 * Opens a way to the admin API of a running control plane; each connection goes through the API server by itself. `localPort`: of this machine, 0 for
 * any. Rejects with a CliError when there is no such pod, and when the port is taken.
 */
export async function forwardToControlPlane(place: ClusterPlace, port: number, localPort = 0): Promise<Forwarded> {
  const config = loadKubeConfig(place);
  const found = await findPod(config, place.namespace);
  let pod = found.name;
  let failure: string | undefined;
  const forward = new PortForward(config);
  const sockets = new Set<Socket>();
  const server = createServer((socket) => {
    sockets.add(socket);
    socket.once('close', () => sockets.delete(socket)).on('error', () => socket.destroy());
    const open = () => forward.portForward(place.namespace, pod, [port], socket, null, socket);
    // A watch of some hours outlives pods.
    const openElsewhere = async () => {
      pod = (await findPod(config, place.namespace)).name;
      return await open();
    };
    open()
      .catch(openElsewhere)
      .then(
        (way) => {
          failure = undefined;
          // Left alone it stays until the other end is tired of it, and the command with it.
          const end = () => ('terminate' in way ? (way as { terminate(): void }).terminate() : undefined);
          if (socket.destroyed) end();
          else socket.once('close', end);
        },
        (error: Error) => {
          failure = forwardFault(config, place.namespace, pod, error);
          socket.destroy();
        },
      );
  });
  server.listen(localPort, '127.0.0.1');
  await once(server, 'listening').catch((cause: Error) => {
    throw new CliError(`cannot open port ${localPort} of this machine: ${cause.message}`, { cause });
  });
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    tokenSecret: found.tokenSecret,
    failure: () => failure,
    close: () => {
      server.close();
      for (const socket of sockets) socket.destroy();
    },
  };
}

function forwardFault(config: KubeConfig, namespace: string, pod: string, { message }: Error): string {
  const said = `cannot forward to pod ${pod} of namespace ${namespace}: ${message?.split('\n')[0]}`;
  if (!message?.includes('403')) return said;
  const user = config.getCurrentUser()?.name ?? 'this user';
  return `${said}; ${user} needs get and create on pods/portforward there: have Role gatewright-admin-connect bound to you`;
}

/** What a pod of the control plane says of where its tokens are. */
const tokenSecretAnnotation = 'gatewright.dev/admin-token-secret';

interface FoundPod {
  readonly name: string;
  readonly tokenSecret: string | undefined;
}

async function findPod(config: KubeConfig, namespace: string): Promise<FoundPod> {
  const server = config.getCurrentCluster()?.server ?? 'no cluster';
  const { items } = await config
    .makeApiClient(CoreV1Api)
    .listNamespacedPod({ namespace, labelSelector: controlPlaneSelector })
    .catch((error: Error) => {
      const remedy =
        (error as { code?: number }).code === 403 ? '; have Role gatewright-admin-connect bound to you' : '';
      throw new CliError(
        `cannot list pods of namespace ${namespace} at ${server}: ${error.message.split('\n')[0]}${remedy}`,
      );
    });
  const running = items.find(({ status, metadata }) => status?.phase === 'Running' && !metadata?.deletionTimestamp);
  const { name, annotations } = running?.metadata ?? {};
  if (name) return { name, tokenSecret: annotations?.[tokenSecretAnnotation] };
  throw new CliError(
    `no control plane runs in namespace ${namespace} of ${server} (pods with ${controlPlaneSelector}); say where with -N NAMESPACE`,
  );
}
