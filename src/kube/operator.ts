import operatorModule, { type OperatorLogger, type ResourceEvent } from '@dot-i/k8s-operator';
import type { KubeConfig } from '@kubernetes/client-node';
import type { Kind, KubernetesObject } from '../gateway-api/index.ts';
import type { KubeClient } from './client.ts';
import {
  Informer,
  type InformerHandler,
  type InformerHooks,
  type InformerState,
  type InformerTiming,
} from './informer.ts';

// The framework is CommonJS: what TypeScript calls its default export is a property of what Node gives us.
const { default: Operator, ResourceEventType, ResourceMetaImpl } = operatorModule;

/** What an operator tells about all of its kinds. Calls come one at a time, and in order for each object. */
export interface OperatorListener {
  event(event: {
    readonly type: 'added' | 'modified' | 'deleted';
    readonly kind: Kind;
    readonly object: KubernetesObject;
  }): void;
  /** Every object of the kind that existed at the start has been told, or the kind does not exist. Once for a kind. */
  synced(kind: Kind): void;
  availability(kind: Kind, available: boolean, message: string): void;
}

export interface OperatorOptions {
  readonly client: KubeClient;
  readonly kubeConfig: KubeConfig;
  readonly kinds: readonly Kind[];
  readonly listener: OperatorListener;
  /** Namespaces to look at; all when left out. Cluster-scoped kinds are always read whole. */
  readonly namespaces?: readonly string[] | undefined;
  readonly hooks?: InformerHooks | undefined;
  readonly timing?: Partial<InformerTiming> | undefined;
  readonly logger?: OperatorLogger | undefined;
}

/**
 * The operator: the framework's shell (`init`, `watchResource`, its events and metadata) with our own informers in place of its watches,
 * which list nothing, lose deletions, and end the process when a watch fails.
 *
 * Writes do not go through the framework either: use KubeClient, whose errors can be told apart.
 */
export class GatewrightOperator extends Operator {
  readonly #options: OperatorOptions;
  readonly #informers: Informer[] = [];
  readonly #stopping = new AbortController();
  readonly #unsynced = new Map<string, number>();
  /** Kinds of which an informer found nothing served, with how many. */
  readonly #missing = new Map<string, number>();
  /** Told when a kind that others wait for is installed, by its name. */
  readonly #installed = new Map<string, PromiseWithResolvers<void>>();
  /** Informers that wait for another kind. */
  readonly #idle = new Set<Informer>();

  constructor(options: OperatorOptions) {
    super(options.logger);
    this.#options = options;
    // The base class has loaded whatever configuration it found; ours is the one that was asked for.
    this.kubeConfig = options.kubeConfig;
  }

  /**
   * Starts, and resolves when the signal has ended everything. Rejects with KubeError when a kind may not be read, and stops the others.
   */
  async run(signal: AbortSignal): Promise<void> {
    const stop = () => this.stop();
    signal.addEventListener('abort', stop, { once: true });
    try {
      await this.start();
      if (signal.aborted) this.stop();
      await Promise.all(this.#informers.map((informer) => this.#runWhenUseful(informer)));
    } finally {
      this.stop();
      signal.removeEventListener('abort', stop);
    }
  }

  override stop(): void {
    this.#stopping.abort();
    for (const { resolve } of this.#installed.values()) resolve();
  }

  /** What the watch of each kind does now; `watching` means that the kind is up to date. A kind has one entry for each namespace. */
  states(): readonly { readonly kind: Kind; readonly state: InformerState }[] {
    return this.#informers.map((informer) => ({
      kind: informer.kind,
      state: this.#idle.has(informer) ? 'missing' : informer.state,
    }));
  }

  /** A kind that is of no use without another is not read before that one is installed. */
  async #runWhenUseful(informer: Informer): Promise<void> {
    const { signal } = this.#stopping;
    const { onlyWith } = informer.kind;
    if (onlyWith !== undefined && this.#options.kinds.some(({ name }) => name === onlyWith)) {
      this.#idle.add(informer);
      const installed = this.#installed.get(onlyWith) ?? Promise.withResolvers<void>();
      this.#installed.set(onlyWith, installed);
      await installed.promise;
      this.#idle.delete(informer);
    }
    if (!signal.aborted) await informer.run(signal);
  }

  protected override async init(): Promise<void> {
    for (const kind of this.#options.kinds) {
      const namespaces = kind.namespaced && this.#options.namespaces ? this.#options.namespaces : [undefined];
      this.#unsynced.set(kind.name, namespaces.length);
      for (const namespace of namespaces) {
        await this.watchResource(kind.group, kind.version, kind.plural, this.#reconcile(kind), namespace);
      }
    }
  }

  /**
   * Registers an informer, which `run` starts. `onEvent` is called in order and without waiting for the promise of the call before: our
   * reconcilers are synchronous.
   */
  protected override async watchResource(
    group: string,
    version: string,
    plural: string,
    onEvent: (event: ResourceEvent) => Promise<void>,
    namespace?: string,
  ): Promise<void> {
    const kind = this.#options.kinds.find(
      (known) => known.group === group && known.version === version && known.plural === plural,
    );
    if (kind === undefined) throw new Error(`${plural}.${group}/${version} is not one of the operator's kinds`);
    const { client, hooks, timing } = this.#options;
    this.#informers.push(
      new Informer({ client, kind, namespace, hooks, timing, handler: this.#handler(kind, onEvent) }),
    );
  }

  #handler(kind: Kind, onEvent: (event: ResourceEvent) => Promise<void>): InformerHandler {
    const tell = (type: ResourceEvent['type']) => (object: KubernetesObject) => {
      const meta = ResourceMetaImpl.createWithPlural(kind.plural, object as ResourceEvent['object']);
      onEvent({ type, meta, object: object as ResourceEvent['object'] }).catch((error: unknown) =>
        this.#options.hooks?.handlerFailed?.(kind, error),
      );
    };
    return {
      added: tell(ResourceEventType.Added),
      modified: tell(ResourceEventType.Modified),
      deleted: tell(ResourceEventType.Deleted),
      synced: () => this.#countSynced(kind),
      available: (available, message) => this.#countMissing(kind, available, message),
    };
  }

  #reconcile(kind: Kind): (event: ResourceEvent) => Promise<void> {
    return async (event) => {
      this.#options.listener.event({ type: eventTypes[event.type], kind, object: event.object as KubernetesObject });
    };
  }

  #countSynced(kind: Kind): void {
    const left = (this.#unsynced.get(kind.name) ?? 0) - 1;
    this.#unsynced.set(kind.name, left);
    if (left !== 0) return;
    this.#options.listener.synced(kind);
    if (this.#missing.get(kind.name)) this.#syncDependents(kind);
    else this.#installed.get(kind.name)?.resolve();
  }

  /** What waits for a kind that is not installed counts as synced and as empty. */
  #syncDependents({ name }: Kind): void {
    for (const kind of this.#options.kinds.filter(({ onlyWith }) => onlyWith === name)) {
      this.#unsynced.set(kind.name, 0);
      this.#options.listener.synced(kind);
    }
  }

  /** One informer for each namespace finds the same thing out; it is told once. */
  #countMissing(kind: Kind, available: boolean, message: string): void {
    const before = this.#missing.get(kind.name) ?? 0;
    const after = before + (available ? -1 : 1);
    this.#missing.set(kind.name, after);
    if ((before === 0) === (after === 0)) return;
    this.#options.listener.availability(kind, available, message);
    if (available) this.#installed.get(kind.name)?.resolve();
  }
}

const eventTypes = { ADDED: 'added', MODIFIED: 'modified', DELETED: 'deleted' } as const;
