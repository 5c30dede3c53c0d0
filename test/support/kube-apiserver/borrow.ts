import { KubeApiServer, type KubeApiServerOptions, typeOf } from '../kube-apiserver.ts';
import { beforeProcessEnds, isSharedProcess } from '../shared-process/process-end.ts';
import { poll } from './daemons.ts';
import { FreshState } from './fresh-state.ts';

/** Tokens are read at the start, so the users that files name are there from the start. */
const users = [
  'system:serviceaccount:gatewright-system:gatewright',
  'stranger',
  'reader',
  'settings',
  'connector',
  'operator',
  'former',
];

const ownService = { apiVersion: 'v1', kind: 'Service', metadata: { namespace: 'default', name: 'kubernetes' } };

interface Idle {
  readonly api: KubeApiServer;
  readonly fresh: FreshState;
}

let idle: Idle | undefined;

/**
 * An API server as `KubeApiServer.start` gives. In a process that test files share it is the one of the file before, brought back to its
 * first state: the start costs 3 s of CPU. What a server has in memory is not new: its version numbers and its watch caches.
 * So a file that ends the server or reads its log starts its own.
 */
export async function borrowApiServer(options: Omit<KubeApiServerOptions, 'args'> = {}): Promise<KubeApiServer> {
  if (!isSharedProcess()) return await KubeApiServer.start(options);
  const unknown = (options.users ?? []).filter((user) => !users.includes(user));
  if (unknown.length > 0) throw new Error(`add ${unknown.join(', ')} to the users in borrow.ts`);
  const { api, fresh } = idle ?? (await startIdle());
  idle = undefined;
  api.lend(async () => {
    try {
      await fresh.restore();
    } catch (error) {
      await api.stop();
      throw error;
    }
    if (idle === undefined) idle = { api, fresh };
    else await api.stop();
  });
  if (options.crds) await api.installCrds(options.crds);
  return api;
}

async function startIdle(): Promise<Idle> {
  const api = await KubeApiServer.start({ users });
  beforeProcessEnds(() => api.stop());
  // The server makes its own Service soon after it is ready. What is not there yet would be taken away as of a test.
  await poll(async () => (await api.client.find(typeOf(ownService), ownService.metadata)) !== undefined, 'its Service');
  return { api, fresh: await FreshState.of(api.etcd, api.client) };
}
