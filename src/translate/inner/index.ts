/** Listeners within the proxy, and the clusters that lead to them. */
export { innerCluster } from './inner-cluster.ts';
export { type EnvoyRoute, type InnerListener, innerListener, maxBodyBytes } from './inner-listener.ts';
export { type InternalManager, internalListener, quietRouter } from './internal-listener.ts';
export { unreachedListener } from './unreached-listener.ts';
