import { existsSync } from 'node:fs';
import type { RateLimitRequest, RateLimitResponse, StreamAccessLogsMessage } from '../../envoy/index.ts';
import type { ObjectByKind } from '../../gateway-api/index.ts';
import type { GraphView } from '../../graph/index.ts';
import type { NodeClaim, UsageKeeper } from '../../xds/index.ts';
import { parseBudgetKey } from './budget-key.ts';
import { judge, type Per, periods, type UsedOf, windowOf } from './budgets.ts';
import type { AiData, AiQuestion, AttemptTrace } from './data.ts';
import type { AiOperation } from './metrics.ts';
import { isDamage, type OnDamaged, openStore, putAside } from './open-store.ts';
import { operationName } from './operation-name.ts';
import { costOf, modelOf } from './prices.ts';
import { type AttemptRecord, type RequestRecord, recordsOf } from './records.ts';
import type { AiStore } from './store.ts';

export interface AiUsageOptions {
  /** Where it is kept; undefined: in memory. */
  readonly file: string | undefined;
  readonly graph: GraphView;
  /** Called for each answer of a service that is kept. */
  readonly onAsked?: ((operation: AiOperation) => void) | undefined;
  /** The same, whole, with the service as it is now. */
  readonly onAttempt?: ((attempt: AttemptTrace, service: ObjectByKind['AIService'] | undefined) => void) | undefined;
  /** The file was damaged, and a new one begun. */
  readonly onDamaged?: OnDamaged | undefined;
  /** What is too old could not be removed; it is tried again. */
  readonly onUnpruned?: ((error: unknown) => void) | undefined;
  /** What other replicas counted against budgets; nothing by default. */
  readonly remoteUsage?: UsedOf;
  readonly now?: () => number;
}

const nothingUsed = { tokens: 0, cost: 0 };
const nothingKept: AiData = { requests: [], usage: [], latency: [], traces: [], strays: [], budgets: [] };

/** Models beyond this number go by one name: what clients write must not fill a disk. */
const maxModels = 1000;
const pruneMs = 600_000;
const tracePruneEvery = 500;

/** Token usage of this replica's proxies: takes their reports and answers their budget checks. */
export class AiUsage implements UsageKeeper {
  readonly #file: string | undefined;
  #opened: AiStore | undefined;
  #closed = false;
  readonly #graph: GraphView;
  readonly #now: () => number;
  readonly #onAsked: (operation: AiOperation) => void;
  readonly #onAttempt: NonNullable<AiUsageOptions['onAttempt']>;
  readonly #onDamaged: OnDamaged;
  readonly #onUnpruned: (error: unknown) => void;
  readonly #remoteUsage: UsedOf;
  readonly #models = new Set<string>();
  readonly #timer: NodeJS.Timeout;
  /** When this replica began to listen: what was before it can only know from its file. */
  readonly since: number;
  /** Whether a restart forgets it. */
  readonly isVolatile: boolean;
  #untilPrune = tracePruneEvery;

  /** Opens nothing yet: a gateway without AI traffic has no database file. */
  constructor({
    file,
    graph,
    onAsked = () => {},
    onAttempt = () => {},
    onDamaged = () => {},
    onUnpruned = () => {},
    remoteUsage = () => nothingUsed,
    now = Date.now,
  }: AiUsageOptions) {
    this.#file = file;
    this.#graph = graph;
    this.#now = now;
    this.#onAsked = onAsked;
    this.#onAttempt = onAttempt;
    this.#onDamaged = onDamaged;
    this.#onUnpruned = onUnpruned;
    this.#remoteUsage = remoteUsage;
    this.since = now();
    this.isVolatile = file === undefined;
    this.#timer = setInterval(() => this.prune(), pruneMs).unref();
  }

  /** Throws when it cannot be kept. */
  take({ nodeId, cluster }: NodeClaim, messages: readonly StreamAccessLogsMessage[]): void {
    const records = messages.flatMap((message) => [...recordsOf(nodeId, message)]);
    this.#whole(() =>
      this.#store.together(() => {
        for (const record of records) this.#keep(record, cluster);
      }),
    );
    if (this.#untilPrune > 0) return;
    this.#untilPrune = tracePruneEvery;
    this.#pruneBy((store) => store.pruneTraces());
  }

  /** Removes what is too old. Does not throw: a disk that is full may have room later. */
  prune(): void {
    this.#pruneBy((store) => store.prune(this.#now()));
  }

  #pruneBy(prune: (store: AiStore) => void): void {
    try {
      if (this.#opened) prune(this.#opened);
    } catch (error) {
      this.#onUnpruned(error);
    }
  }

  ask(request: RateLimitRequest): RateLimitResponse {
    const usedOf: UsedOf = (...of) => {
      const here = this.#whole(() => this.#kept?.budget(...of)) ?? nothingUsed;
      const elsewhere = this.#remoteUsage(...of);
      return { tokens: here.tokens + elsewhere.tokens, cost: here.cost + elsewhere.cost };
    };
    return judge(request, this.#graph, usedOf, this.#now());
  }

  read(question: AiQuestion): AiData {
    return this.#whole(() => this.#kept?.read(question)) ?? nothingKept;
  }

  close(): void {
    clearInterval(this.#timer);
    this.#closed = true;
    this.#opened?.close();
    this.#opened = undefined;
  }

  get #store(): AiStore {
    if (this.#closed) throw new Error('the control plane is shutting down');
    this.#opened ??= openStore(this.#file, this.#onDamaged);
    return this.#opened;
  }

  /** Does it once more with a new file where the present one turns out to be damaged. */
  #whole<T>(work: () => T): T {
    try {
      return work();
    } catch (error) {
      if (this.#file === undefined || !isDamage(error)) throw error;
      this.#opened?.close();
      this.#opened = undefined;
      putAside(this.#file, error, this.#onDamaged);
      return work();
    }
  }

  /** Undefined: nothing was ever kept. */
  get #kept(): AiStore | undefined {
    if (this.#closed) return undefined;
    if (this.#opened || this.#file === undefined || !existsSync(this.#file)) return this.#opened;
    return this.#store;
  }

  #keep(record: RequestRecord | AttemptRecord, cluster: string): void {
    const what = record.kind === 'attempt' ? `${record.service} ${record.at}` : '';
    if (this.#store.isKnown(`${cluster} ${record.id} ${what}`, this.#now())) return;
    this.#untilPrune -= 1;
    const named = { ...record, model: this.#bounded(record.model) };
    if (named.kind === 'request') this.#store.addRequest(named);
    else this.#keepAttempt(named);
  }

  #keepAttempt(record: AttemptRecord): void {
    const { usage } = record;
    const service = this.#graph.find('AIService', record.service);
    const cost = usage && costOf({ ...record, service }, usage);
    const trace: AttemptTrace = { ...record, cost };
    const [budget] = record.budgets;
    this.#store.addAttempt(trace, budget === undefined ? '' : parseBudgetKey(budget).key);
    this.#onAsked({
      operation: operationName(record.operation),
      provider: service?.spec.provider ?? 'unknown',
      model: modelOf(service, record.model)?.name ?? '',
      errorType: record.errorType ?? undefined,
      seconds: record.durationMs / 1000,
      firstChunkSeconds: record.stream && record.firstByteMs !== null ? record.firstByteMs / 1000 : undefined,
      tokens: usage ?? undefined,
    });
    this.#onAttempt(trace, service);
    if (!usage) return;
    const tokens = usage.input + usage.output;
    for (const one of new Set(record.budgets)) this.#count(one, record.at, tokens, cost ?? 0);
  }

  #count(budget: string, at: number, tokens: number, cost: number): void {
    const { policy, key } = parseBudgetKey(budget);
    const found = this.#graph.find('TokenPolicy', policy);
    const used: readonly Per[] = found ? [...new Set(found.spec.budgets.map(({ per }) => per))] : periods;
    for (const per of used) {
      const { start } = windowOf(per, at);
      this.#store.addBudget({ policy, key, per, start, tokens, cost });
    }
  }

  #bounded(model: string): string {
    if (this.#models.has(model)) return model;
    if (this.#models.size >= maxModels) return '(other)';
    this.#models.add(model);
    return model;
  }
}
