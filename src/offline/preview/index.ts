/** What files become, with no cluster and no proxies: the steps of a control plane, taken once. Pure. */
export { type ObjectStatus, type Preview, preview, type SharedPort } from './preview.ts';
