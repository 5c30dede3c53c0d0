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
  close(): void;
}

/** The pods of the control plane. */
export const controlPlaneSelector = 'app.kubernetes.io/name=gatewright,app.kubernetes.io/component=control-plane';

/** Opens a way to the admin API of a running control plane; each connection goes through the API server by itself. */
export async function forwardToControlPlane(place: ClusterPlace, port: number): Promise<Forwarded> {
  const config = loadKubeConfig(place);
  let pod = await findPod(config, place.namespace);
  const forward = new PortForward(config);
  const sockets = new Set<Socket>();
  const server = createServer((socket) => {
    sockets.add(socket);
    socket.once('close', () => sockets.delete(socket)).on('error', () => socket.destroy());
    const open = () => forward.portForward(place.namespace, pod, [port], socket, null, socket);
    // Whoever watches for hours outlives pods.
    const openElsewhere = async () => {
      pod = await findPod(config, place.namespace);
      return await open();
    };
    open()
      .catch(openElsewhere)
      .catch((error: Error) => socket.destroy(error));
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    close: () => {
      server.close();
      for (const socket of sockets) socket.destroy();
    },
  };
}

async function findPod(config: KubeConfig, namespace: string): Promise<string> {
  const server = config.getCurrentCluster()?.server ?? 'no cluster';
  const { items } = await config
    .makeApiClient(CoreV1Api)
    .listNamespacedPod({ namespace, labelSelector: controlPlaneSelector })
    .catch((error: Error) => {
      throw new CliError(`cannot list pods of namespace ${namespace} at ${server}: ${error.message.split('\n')[0]}`);
    });
  const running = items.find(({ status, metadata }) => status?.phase === 'Running' && !metadata?.deletionTimestamp);
  if (running?.metadata?.name) return running.metadata.name;
  throw new CliError(
    `no control plane runs in namespace ${namespace} of ${server} (pods with ${controlPlaneSelector}); say where with -N NAMESPACE`,
  );
}
