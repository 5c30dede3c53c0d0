import { type Kind, type KubernetesObject, kinds } from '../gateway-api/index.ts';
import type { KubeClient } from './client.ts';
import type { KubeError, KubeErrorCode } from './kube-error.ts';

/** What an informer found out. Calls come one at a time and in the order of the changes of each object. */
export interface InformerHandler {
  added(object: KubernetesObject): void;
  modified(object: KubernetesObject): void;
  /** With the last known state. */
  deleted(object: KubernetesObject): void;
  /** The first full list is reported, or the kind does not exist. Once. */
  synced(): void;
  /** The API server does not serve the kind, or does again. */
  available(available: boolean, message: string): void;
  /** Of an informer that waits for permission: it may not list or watch, or may again. The first word is that it may not. */
  permitted?(permitted: boolean, message: string): void;
}

/** Why a watch was started again: an error's code, or `ended` when the server closed a watch before its time. */
export type RestartReason = KubeErrorCode | 'ended';

/** What an informer does at the moment. `watching` is the only state in which its objects are fresh. */
export type InformerState = 'listing' | 'watching' | 'waiting' | 'missing' | 'stopped';

/** For metrics and logs. */
export interface InformerHooks {
  /** A watch or list failed and will be tried again in `waitMs`. */
  restarted?(kind: Kind, reason: RestartReason, waitMs: number, error?: KubeError): void;
  /** A full list was reported. */
  listed?(kind: Kind, objects: number, durationMs: number): void;
  stateChanged?(kind: Kind, state: InformerState): void;
  /** The handler threw: a fault of ours. The informer goes on. */
  handlerFailed?(kind: Kind, error: unknown): void;
}

/** How long things take; tests shorten them. */
export interface InformerTiming {
  /** A watch is ended by the server after this, or up to twice this, so that watches of replicas spread over servers. */
  readonly watchSeconds: number;
  /** A watch is given up after this silence. The server sends a bookmark about once a minute. */
  readonly idleMs: number;
  /** A watch that ended before this without an event counts as a failure, or a broken proxy would have us spin. */
  readonly shortMs: number;
  readonly retryBaseMs: number;
  readonly retryMaxMs: number;
  /** The longest wait between two looks for a missing kind, or for a missing right. Each look takes a request, and a cluster lacks some kinds for good. */
  readonly missingMaxMs: number;
  readonly pageSize: number;
}

export const defaultTiming: InformerTiming = {
  watchSeconds: 240,
  idleMs: 100_000,
  shortMs: 1_000,
  retryBaseMs: 200,
  retryMaxMs: 30_000,
  missingMaxMs: 30_000,
  pageSize: 500,
};

/** Where the objects are, and which of them. */
export const selected = ({ client, namespace, labelSelector, fieldSelector }: InformerOptions) => ({
  client,
  namespace,
  labelSelector,
  fieldSelector,
});

/** 404s in a row that are believed of a kind with objects. */
export const notFoundToBelieve = 4;

/** What they demand of requests stays in force: were they forgotten, all that they protect would be open. */
export const neverForgotten: ReadonlySet<string> = new Set([kinds.AccessPolicy.name]);

export interface InformerOptions {
  readonly client: KubeClient;
  readonly kind: Kind;
  /** Only objects of this namespace; all when left out. */
  readonly namespace?: string | undefined;
  /** Only objects with these labels, such as `app=shop`; all when left out. */
  readonly labelSelector?: string | undefined;
  /** Only objects with these fields, such as `metadata.name=shop`; all when left out. */
  readonly fieldSelector?: string | undefined;
  /** Missing permission ends nothing, not even at the start: it is reported, and checked again as a missing kind is. */
  readonly awaitsPermission?: boolean | undefined;
  /**
   * Why the kind has to be served although it is not, of a kind that protects others: until it is, it does not count as synced. Undefined: it may be
   * missing. Asked while the API server has not served it since the start.
   */
  readonly expected?: ((kind: Kind) => Promise<string | undefined>) | undefined;
  readonly handler: InformerHandler;
  readonly hooks?: InformerHooks | undefined;
  readonly timing?: Partial<InformerTiming> | undefined;
}
