import type { BudgetHold, BudgetNews } from '../../contracts/index.ts';
import type { RateLimitRequest, RateLimitResponse, StreamAccessLogsMessage } from '../../envoy/index.ts';
import type { ObjectByKind } from '../../gateway-api/index.ts';
import type { GraphView } from '../../graph/index.ts';
import type { NodeClaim, UsageKeeper } from '../../xds/index.ts';
import { answerOf } from './budgets/answer.ts';
import type { BudgetKeeper } from './budgets/budget-keeper.ts';
import { parseBudgetKey } from './budgets/budget-key.ts';
import type { UsedOf } from './budgets/budget-view.ts';
import { countsOf } from './budgets/counts.ts';
import { type Per, periods, windowOf } from './budgets/windows.ts';
import type { AiData, AiQuestion, AttemptTrace, BudgetRow } from './data.ts';
import type { AiOperation } from './metrics.ts';
import { operationName } from './operation-name.ts';
import { costOf, modelOf } from './prices.ts';
import { type AttemptRecord, type RequestRecord, recordsOf } from './records.ts';
import type { Entry, UsageStore } from './store/usage-store.ts';

export interface AiUsageOptions {
  readonly store: UsageStore;
  readonly graph: GraphView;
  /** Called for each answer of a service that is kept. */
  readonly onAsked?: ((operation: AiOperation) => void) | undefined;
  /** The same, whole, with the service as it is now. */
  readonly onAttempt?: ((attempt: AttemptTrace, service: ObjectByKind['AIService'] | undefined) => void) | undefined;
  /** What is too old could not be removed; it is tried again. */
  readonly onUnpruned?: ((error: unknown) => void) | undefined;
  /** Lets requests use budgets. */
  readonly keeper: BudgetKeeper;
  readonly now?: () => number;
}

/** Models beyond this number go by one name: what clients write must not fill a disk. */
const maxModels = 1000;
const pruneMs = 600_000;
const tracePruneEvery = 500;
/** Of those that another replica gets at once. */
const mostHolds = 10_000;

/** Token usage of this replica's proxies: takes their reports and answers their budget checks. */
export class AiUsage implements UsageKeeper {
  readonly #store: UsageStore;
  readonly #graph: GraphView;
  readonly #now: () => number;
  readonly #onAsked: (operation: AiOperation) => void;
  readonly #onAttempt: NonNullable<AiUsageOptions['onAttempt']>;
  readonly #onUnpruned: (error: unknown) => void;
  readonly #keeper: BudgetKeeper;
  readonly #models = new Set<string>();
  readonly #timer: NodeJS.Timeout;
  /** When this replica began to listen: what was before it can only know from its store. */
  readonly since: number;
  #untilPrune = tracePruneEvery;

  constructor({
    store,
    graph,
    onAsked = () => {},
    onAttempt = () => {},
    onUnpruned = () => {},
    keeper,
    now = Date.now,
  }: AiUsageOptions) {
    this.#store = store;
    this.#graph = graph;
    this.#now = now;
    this.#onAsked = onAsked;
    this.#onAttempt = onAttempt;
    this.#onUnpruned = onUnpruned;
    this.#keeper = keeper;
    this.since = now();
    this.#timer = setInterval(() => void this.prune(), pruneMs).unref();
  }

  /** Rejects when it cannot be kept. */
  async take({ nodeId, cluster }: NodeClaim, messages: readonly StreamAccessLogsMessage[]): Promise<void> {
    const records = messages.flatMap((message) => recordsOf(nodeId, message));
    const fresh = await this.#store.keep(
      records.map((record) => this.#entryOf(record, cluster)),
      this.#now(),
    );
    this.#keeper.reported(newsOf(fresh, this.#store.used));
    for (const { record } of fresh) if (record.kind === 'attempt') this.#announce(record);
    this.#untilPrune -= fresh.length;
    if (this.#untilPrune > 0) return;
    this.#untilPrune = tracePruneEvery;
    await this.#store.pruneTraces().catch(this.#onUnpruned);
  }

  /** Removes what is too old. Never rejects: a disk that is full may have room later. */
  prune(): Promise<void> {
    return this.#store.prune(this.#now()).catch(this.#onUnpruned);
  }

  async ask(question: RateLimitRequest): Promise<RateLimitResponse> {
    const { request, counts } = countsOf(question, this.#graph);
    const judged = await Promise.all(
      counts.map(async (count) => ({ ...count, verdict: await this.#keeper.judge(count, request) })),
    );
    return answerOf(judged, this.#now());
  }

  /** What requests under way hold of budgets. */
  holds(): readonly BudgetHold[] {
    return this.#keeper.holds.list(this.#now(), mostHolds);
  }

  read(question: AiQuestion): Promise<AiData> {
    return this.#store.read(question);
  }

  close(): Promise<void> {
    clearInterval(this.#timer);
    return this.#store.close();
  }

  #entryOf(record: RequestRecord | AttemptRecord, cluster: string): Entry {
    const named = { ...record, model: this.#bounded(record.model) };
    const seenKey = `${cluster} ${record.id} ${record.kind === 'attempt' ? `${record.service} ${record.at}` : ''}`;
    if (named.kind === 'request') return { seenKey, record: named, key: '', budgets: [] };
    const service = this.#graph.find('AIService', named.service);
    const cost = named.usage && costOf({ ...named, service }, named.usage);
    const [budget] = named.budgets;
    return {
      seenKey,
      record: { ...named, cost },
      key: budget === undefined ? '' : parseBudgetKey(budget).key,
      budgets: this.#budgetRows(named, cost ?? 0),
    };
  }

  #announce(attempt: AttemptTrace): void {
    const { usage, firstByteMs } = attempt;
    const service = this.#graph.find('AIService', attempt.service);
    this.#onAsked({
      operation: operationName(attempt.operation),
      provider: service?.spec.provider ?? 'unknown',
      model: modelOf(service, attempt.model)?.name ?? '',
      errorType: attempt.errorType ?? undefined,
      seconds: attempt.durationMs / 1000,
      firstChunkSeconds: attempt.stream && firstByteMs !== null ? firstByteMs / 1000 : undefined,
      tokens: usage ?? undefined,
    });
    this.#onAttempt(attempt, service);
  }

  /** What an attempt adds to each budget that it counts for. */
  #budgetRows({ usage, budgets, at }: AttemptRecord, cost: number): readonly BudgetRow[] {
    if (!usage) return [];
    const tokens = usage.input + usage.output;
    return [...new Set(budgets)].flatMap((budget) => {
      const { policy, key } = parseBudgetKey(budget);
      const found = this.#graph.find('TokenPolicy', policy);
      const used: readonly Per[] = found ? [...new Set(found.spec.budgets.map(({ per }) => per))] : periods;
      return used.map((per) => ({ policy, key, per, start: windowOf(per, at).start, tokens, cost }));
    });
  }

  #bounded(model: string): string {
    if (this.#models.has(model)) return model;
    if (this.#models.size >= maxModels) return '(other)';
    this.#models.add(model);
    return model;
  }
}

/** What reports that are kept now say of budgets. */
function newsOf(entries: readonly Entry[], usedOf: UsedOf): Pick<BudgetNews, 'answers' | 'ended' | 'sums'> {
  const answers = new Map<string, BudgetHold>();
  const sums = new Map<string, BudgetRow>();
  for (const { record, budgets } of entries)
    for (const { policy, key, per, start, tokens, cost } of budgets) {
      answers.set(JSON.stringify([policy, key, record.id]), { policy, key, request: record.id, tokens, cost });
      const window = JSON.stringify([policy, key, per, start]);
      if (!sums.has(window)) sums.set(window, { policy, key, per, start, ...usedOf(policy, key, per, start) });
    }
  return {
    answers: [...answers.values()],
    ended: entries.flatMap(({ record }) => (record.kind === 'request' ? record.id : [])),
    sums: [...sums.values()],
  };
}
