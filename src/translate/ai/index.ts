/** Listeners and clusters within the proxy, for models and their providers. */
export { aiResources } from './ai-resources.ts';
