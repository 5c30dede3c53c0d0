import { main as mainOf } from './program.ts';

/** Builds everything: the only room that may import all others. */
export const main = (): Promise<void> =>
  mainOf({ loadAddOns: async () => (await import('./addons/build-add-ons.ts')).buildAddOns });
