/** What stores, finds and marks objects of any kind: the store, edges and their indexes, dirty sets, statuses. Knows no kind by name but in types. */
export type { BackendProvider } from './backend-hooks.ts';
export { type KindModule, type KindModules, versionsOf } from './kind-module.ts';
export { type Store, serviceKeyOf } from './store.ts';
