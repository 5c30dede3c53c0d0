import operatorModule, { type OperatorLogger, type ResourceEvent } from '@dot-i/k8s-operator';
import type { KubeConfig } from '@kubernetes/client-node';
import { type Kind, type KubernetesObject, kinds } from '../gateway-api/index.ts';
import type { KubeClient } from './client.ts';
import { Informer } from './informer.ts';
import type { InformerHandler, InformerHooks, InformerState, InformerTiming } from './informer-options.ts';
import { NamespaceGate } from './namespace-gate.ts';

// The framework is CommonJS: what TypeScript calls its default export is a property of what Node gives us.
const { default: Operator, ResourceEventType, ResourceMetaImpl } = operatorModule;

/** What an operator reports about all of its kinds. Calls come one at a time, and in order for each object. */
export interface OperatorListener {
  event(event: {
    readonly type: 'added' | 'modified' | 'deleted';
    readonly kind: Kind;
    readonly object: KubernetesObject;
  }): void;
  /** Every object of the kind that existed at the start has been reported, or the kind does not exist. Once for a kind. */
  synced(kind: Kind): void;
  availability(kind: Kind, available: boolean, message: string): void;
  /**
   * Of an operator for some namespaces: one cannot be read (whole), or can again. What was reported of it stays; the rest
   * is reported before it is said to be available.
   */
  namespaceAvailability?(namespace: string, available: boolean, message: string): void;
}

export interface OperatorOptions {
  readonly client: KubeClient;
  readonly kubeConfig: KubeConfig;
  readonly kinds: readonly Kind[];
  readonly listener: OperatorListener;
  /**
   * Namespaces to look at; all when left out. Permission that is missing in one of them is waited for. Of the kind Namespace
   * these are read, other cluster-scoped kinds whole.
   */
  readonly namespaces?: readonly string[] | undefined;
  /** Kinds that are read in another namespace as well, where only some are; nothing waits for its permission. */
  readonly also?: readonly { readonly kind: string; readonly namespace: string }[] | undefined;
  /** InformerOptions.expected */
  readonly expected?: ((kind: Kind) => Promise<string | undefined>) | undefined;
  readonly hooks?: InformerHooks | undefined;
  readonly timing?: Partial<InformerTiming> | undefined;
  readonly logger?: OperatorLogger | undefined;
}

/**
 * The operator: the framework's shell (`init`, `watchResource`, its events and metadata) with our own informers in place of its watches,
 * which list nothing, lose deletions, and end the process when a watch fails.
 *
 * Writes do not go through the framework either: use KubeClient, whose errors can be distinguished. The reasons are in
 * docs/adr/0012-operator-framework.md.
 */
export class GatewrightOperator extends Operator {
  readonly #options: OperatorOptions;
  readonly #informers: Informer[] = [];
  readonly #stopping = new AbortController();
  /** The namespaces that have not been reported yet, by kind; `''` for a kind that is read whole. */
  readonly #unsynced = new Map<string, Set<string>>();
  readonly #gates: ReadonlyMap<string, NamespaceGate>;
  /** Kinds of which an informer found nothing served, with how many. */
  readonly #missing = new Map<string, number>();
  /** Called with its name when a kind that others wait for is installed. */
  readonly #installed = new Map<string, PromiseWithResolvers<void>>();
  /** Informers that wait for another kind. */
  readonly #idle = new Set<Informer>();

  constructor(options: OperatorOptions) {
    super(options.logger);
    this.#options = options;
    // The base class has loaded whatever configuration it found; ours is the one that was asked for.
    this.kubeConfig = options.kubeConfig;
    this.#gates = new Map(options.namespaces?.map((namespace) => [namespace, this.#gate(namespace)]));
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

  #installation(kind: string): PromiseWithResolvers<void> {
    const known = this.#installed.get(kind) ?? Promise.withResolvers<void>();
    this.#installed.set(kind, known);
    return known;
  }

  /** A kind that is of no use without others is not read before one of these is installed. */
  async #runWhenUseful(informer: Informer): Promise<void> {
    const { signal } = this.#stopping;
    const needs = this.#needsOf(informer.kind);
    if (needs.length > 0) {
      this.#idle.add(informer);
      await Promise.race(needs.map((need) => this.#installation(need).promise));
      this.#idle.delete(informer);
    }
    if (!signal.aborted) await informer.run(signal);
  }

  protected override async init(): Promise<void> {
    for (const kind of this.#options.kinds) {
      const { namespaces, also = [] } = this.#options;
      const more = also.filter((one) => one.kind === kind.name).map(({ namespace }) => namespace);
      const places = namespaces && isOfNamespaces(kind) ? [...namespaces, ...more] : [undefined];
      this.#unsynced.set(kind.name, new Set(places.map((place) => place ?? '')));
      for (const namespace of places) {
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
    const { client, expected, hooks, timing } = this.#options;
    this.#informers.push(
      new Informer({
        client,
        kind,
        fieldSelector: kind.fieldSelector,
        ...(namespace !== undefined && placeOf(kind, namespace)),
        expected,
        hooks,
        timing,
        handler: this.#handler(kind, namespace, onEvent),
      }),
    );
  }

  #handler(
    kind: Kind,
    namespace: string | undefined,
    onEvent: (event: ResourceEvent) => Promise<void>,
  ): InformerHandler {
    const gate = kind.namespaced && namespace !== undefined ? this.#gates.get(namespace) : undefined;
    const handle = (type: ResourceEvent['type']) => (object: KubernetesObject) => {
      const meta = ResourceMetaImpl.createWithPlural(kind.plural, object as ResourceEvent['object']);
      const pass = () => {
        onEvent({ type, meta, object: object as ResourceEvent['object'] }).catch((error: unknown) =>
          this.#options.hooks?.handlerFailed?.(kind, error),
        );
      };
      if (gate) gate.pass(pass);
      else pass();
    };
    const synced = () => this.#countSynced(kind, namespace);
    return {
      added: handle(ResourceEventType.Added),
      modified: handle(ResourceEventType.Modified),
      deleted: handle(ResourceEventType.Deleted),
      synced() {
        gate?.pass(synced);
        if (gate) gate.listed(kind);
        else synced();
      },
      available: (available, message) => this.#countMissing(kind, available, message),
      permitted(permitted, message) {
        gate?.permitted(kind, permitted, message);
        // No caller has to wait for the labels of a Namespace.
        if (!gate) synced();
      },
    };
  }

  #gate(namespace: string): NamespaceGate {
    const { listener } = this.#options;
    const ofNamespaces = this.#options.kinds.filter(({ namespaced }) => namespaced);
    const gate: NamespaceGate = new NamespaceGate({
      kinds: ofNamespaces.filter((kind) => this.#needsOf(kind).length === 0),
      onAvailability: (available, message) => {
        // The others need not wait for it: until it is available it counts as empty.
        if (!gate.isOpen) for (const kind of ofNamespaces) this.#countSynced(kind, namespace);
        listener.namespaceAvailability?.(namespace, available, message);
      },
    });
    return gate;
  }

  /** The kinds without which the kind is of no use, as far as they are read. */
  #needsOf({ onlyWith = [] }: Kind): readonly string[] {
    return onlyWith.filter((name) => this.#options.kinds.some((kind) => kind.name === name));
  }

  #reconcile(kind: Kind): (event: ResourceEvent) => Promise<void> {
    return async (event) => {
      this.#options.listener.event({ type: eventTypes[event.type], kind, object: event.object as KubernetesObject });
    };
  }

  #countSynced(kind: Kind, namespace: string | undefined): void {
    const left = this.#unsynced.get(kind.name);
    if (!left?.delete(namespace ?? '') || left.size > 0) return;
    this.#options.listener.synced(kind);
    if (this.#missing.get(kind.name)) this.#syncDependents(kind);
    else this.#installed.get(kind.name)?.resolve();
  }

  /** What waits for kinds none of which is installed counts as synced and as empty. */
  #syncDependents({ name }: Kind): void {
    const isMissing = (need: string) => this.#missing.get(need) && this.#unsynced.get(need)?.size === 0;
    for (const kind of this.#options.kinds.filter(({ onlyWith }) => onlyWith?.includes(name))) {
      if (!this.#needsOf(kind).every(isMissing)) continue;
      this.#unsynced.get(kind.name)?.clear();
      this.#options.listener.synced(kind);
    }
  }

  /** One informer for each namespace finds the same thing out; it is reported once. */
  #countMissing(kind: Kind, available: boolean, message: string): void {
    const before = this.#missing.get(kind.name) ?? 0;
    const after = before + (available ? -1 : 1);
    this.#missing.set(kind.name, after);
    if ((before === 0) === (after === 0)) return;
    this.#options.listener.availability(kind, available, message);
    if (available) this.#installed.get(kind.name)?.resolve();
  }
}

/** Read namespace by namespace where there is a list of them: what is in them, and they themselves. */
const isOfNamespaces = ({ namespaced, name }: Kind): boolean => namespaced || name === kinds.Namespace.name;

const placeOf = (kind: Kind, namespace: string) => ({
  ...(kind.namespaced ? { namespace } : { fieldSelector: `metadata.name=${namespace}` }),
  awaitsPermission: true,
});

const eventTypes = { ADDED: 'added', MODIFIED: 'modified', DELETED: 'deleted' } as const;
