/** What the controller itself is given: keys of its ConfigMap, its flags, and directives of snippets, each with its fate. */
export { configKeys } from './config-keys.ts';
export { directives } from './directives.ts';
export { flags } from './flags.ts';
export { type Setting, settingNamed } from './setting.ts';
