export { type CostReport, cost } from './cost.ts';
export { type Merged, mergeData } from './merged.ts';
export { type OverviewReport, overview, type ServiceInfo } from './overview.ts';
export { type PoolReport, type ServiceReport, serviceReport } from './services.ts';
export { groupings, type TokenUsageReport, tokenUsage } from './token-usage.ts';
export { type TraceFilter, type TracesReport, traces } from './traces.ts';
