/** WebAssembly that proxies run: where it is from, and what it has to be like. */
export { codeOf, configMapKeyOf, moduleKeysOf, moduleOf } from './module.ts';
export { moduleProvider } from './provider.ts';
