/** Listeners and clusters within the proxy, for pools of model servers. */
export { poolResources } from './pool-resources.ts';
