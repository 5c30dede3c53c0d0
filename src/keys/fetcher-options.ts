import type { RemoteKeys } from '../key-sets/index.ts';
import type { Clock } from '../std/queue/index.ts';
import type { FetchFault } from './fetch-fault.ts';
import type { FetchedSet } from './fetch-keys.ts';
import type { KeysConfigMap, KeysKeeper } from './keeper.ts';

export interface KeyFetcherOptions {
  /** Where the ConfigMaps are. */
  readonly namespace: string;
  /** A ConfigMap as this replica knows it. */
  readonly find: (name: string) => KeysConfigMap | undefined;
  /** Names of all that are kept, whether they are wanted or not. */
  readonly names: () => readonly string[];
  /** Fetches, or rejects with FetchFault. Undefined: the server is not in use, or what it is asked by is not there yet. */
  readonly fetch: (remote: RemoteKeys, signal: AbortSignal) => Promise<FetchedSet> | undefined;
  /** Stands for the authorities that the server is checked by now: others, another text. */
  readonly trust: (remote: RemoteKeys) => string;
  readonly keeper: KeysKeeper;
  /** One replica does: the others read what it keeps. */
  readonly isLeader: () => boolean;
  readonly clock: Clock;
  readonly now: () => Date;
  readonly random?: () => number;
  readonly onResult: (result: FetchResult) => void;
}

/** What became of one attempt. */
export interface FetchResult {
  readonly keys: string;
  readonly place: string;
  /** Undefined: it worked. */
  readonly fault?: FetchFault;
  /** Whether there is something new to say: it failed or worked for the first time, or its keys are others. */
  readonly isNews: boolean;
  /** It could not be kept. */
  readonly unkept?: unknown;
}
