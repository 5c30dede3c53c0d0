/** What stores, finds and marks objects of any kind: the store, edges and their indexes, dirty sets, statuses. Knows no kind by name but in types. */
export { type KindModule, type KindModules, versionsOf } from './kind-module.ts';
export { serviceKeyOf } from './store.ts';
