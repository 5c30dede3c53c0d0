import type { ObjectByKind } from '../gateway-api/index.ts';

export type KeysConfigMap = ObjectByKind['ConfigMap'];

/** Keeps what was fetched beyond this process, and takes it to every replica's graph as ConfigMaps. */
export interface KeysKeeper {
  /** Rejects when it cannot be kept. */
  save(object: KeysConfigMap): Promise<void>;
  /** Forgets one, by its name. */
  remove(name: string): Promise<void>;
}
