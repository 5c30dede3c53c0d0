/** Listeners and clusters within the proxy, for servers that requests name. */
export { namedServerResources } from './named-servers.ts';
