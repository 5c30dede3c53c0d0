/**
 * A control plane, built in an order that types hold: `buildCore` needs the configuration, `connect` needs a core and what it writes to,
 * `startControlPlane` needs that, a source and the add-ons. Imports no add-on.
 */
export { type AddOns, type AddOnsPlace, type BuildAddOns, type LoadAddOns, noAddOns } from './add-ons.ts';
export type { BuildIngresses } from './build-ingresses.ts';
export { tokenFor } from './build-replicas.ts';
export { type Connected, connect } from './connect.ts';
export type { Context } from './context.ts';
export { type ControlPlane, startControlPlane } from './control-plane.ts';
export { buildCore, type Core, type CoreOptions } from './core.ts';
export { databaseSecrets } from './database-secrets.ts';
export type { KeysPlace, Proxies, StatusSink } from './edges.ts';
export { loadIngresses } from './load-ingresses.ts';
export { createMetrics, type Metrics } from './metrics.ts';
export { processIdentity } from './only-replica.ts';
export { optIns } from './opt-ins.ts';
export { UnreadableNamespaces } from './unreadable-namespaces.ts';
export { followed, servingFromFiles } from './xds-files.ts';
