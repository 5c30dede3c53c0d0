/** Settings that are changed while the control plane runs: a Secret in a cluster, files without one. */
export { FileSettings } from './file-settings.ts';
export { isMask, mask } from './mask.ts';
export { SecretSettings } from './secret-settings.ts';
export { parseKept, SettingsError, type SettingsStore } from './settings-store.ts';
