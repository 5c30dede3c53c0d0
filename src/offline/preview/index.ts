/** What files become, with no cluster and no proxies: the steps of a control plane, taken once. Pure. */
export {
  type DeriveIngresses,
  type ObjectStatus,
  type Preview,
  type PreviewedIngress,
  preview,
  type SharedPort,
} from './preview.ts';
