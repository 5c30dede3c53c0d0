/** WebAssembly that proxies run: where it is from, and what it has to be like. */
export { pulledModuleCode } from './code.ts';
export {
  codeKeysOf,
  codeOf,
  configMapKeyOf,
  imageFault,
  imageOf,
  moduleKeysOf,
  moduleOf,
  notPulled,
  notRead,
} from './module.ts';
export { moduleProvider } from './provider.ts';
