import type { ResourceEvent } from '../../sources/index.ts';
import type { Core } from './core.ts';

/** Fetches modules that policies name, as policies come and go. */
export interface ModulesWatch {
  observe(event: ResourceEvent): void;
  /** Each module that is named now is there, or was tried, or is slow: what proxies have is not taken from them while it is on its way. */
  settled(): Promise<unknown>;
  stop(): void;
}

/** Where proxies run none. */
export const noModules: ModulesWatch = { observe() {}, settled: () => Promise.resolve(), stop() {} };

const mebibyte = 1024 * 1024;

/** Of one module. */
export const maxModuleBytes = ({ extensions }: Core['config']): number => extensions.wasmMaxMiB * mebibyte;
