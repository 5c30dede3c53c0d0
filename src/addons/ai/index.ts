/**
 * Usage of AI traffic, as proxies report it: kept in SQLite or PostgreSQL, counted against budgets, shown in reports. It never holds prompts or answers.
 */
export { AiUsage } from './ai-usage.ts';
export { BudgetKeeper } from './budgets/budget-keeper.ts';
export { RemoteUsage } from './budgets/remote-usage.ts';
export { type AiData, type AiQuestion, nothingKept } from './data.ts';
export { aiMetrics } from './metrics.ts';
export { type AiPeer, aiUsagePath, askAll, hostOf } from './peers.ts';
export {
  type CostReport,
  cost,
  groupings,
  type Merged,
  mergeData,
  type OverviewReport,
  overview,
  type PoolReport,
  type ServiceInfo,
  type ServiceReport,
  serviceReport,
  type TokenUsageReport,
  type TraceFilter,
  type TracesReport,
  tokenUsage,
  traces,
} from './reports/index.ts';
export { aiSpan } from './spans/index.ts';
export { FileStore } from './store/file-store.ts';
export { PostgresStore } from './store/postgres/postgres-store.ts';
export type { UsageStore } from './store/usage-store.ts';
export { parseRange, parseStep } from './window.ts';
