import { aiMetrics } from '../../src/addons/ai/index.ts';
import { tracingMetrics } from '../../src/addons/tracing/index.ts';
import { cacheMetrics, dataPlaneMetrics } from '../../src/agent/admin/metrics.ts';
import { createMetrics } from '../../src/app/control-plane/metrics.ts';
import { type MetricFacts, MetricSet } from '../../src/telemetry/index.ts';

/** Every metric of ours, by what exposes it. */
export interface AllMetrics {
  readonly controlPlane: readonly MetricFacts[];
  readonly dataPlane: readonly MetricFacts[];
  /** Of the control plane's process. */
  readonly process: readonly MetricFacts[];
}

/** All metrics as they are declared, add-ons included. */
export function allMetrics(): AllMetrics {
  const { set } = createMetrics({ process: false });
  aiMetrics(set);
  tracingMetrics(set);
  return { controlPlane: set.list(), dataPlane: listOf(dataPlaneMetrics, cacheMetrics), process: processMetrics() };
}

function listOf(...declarations: readonly ((metrics: MetricSet) => unknown)[]): readonly MetricFacts[] {
  const set = new MetricSet();
  for (const declare of declarations) declare(set);
  return set.list();
}

const processMetrics = () => listOf((set) => set.observeProcess());

/** docs/metrics.md. */
export function metricsPage({ controlPlane, dataPlane, process }: AllMetrics = allMetrics()): string {
  return [
    '# Metrics',
    '',
    '<!-- Made by `npm run generate` from the declarations of metrics in src. -->',
    '',
    'This page lists every Prometheus metric of Gatewright. [Alerts and a dashboard](operating.md#alerts) use them; a test holds both against what a running',
    'gateway exposes. Names and labels are stable.',
    '',
    '## Control plane',
    '',
    '`/metrics` on port 18082, and `/api/v1/metrics` on port 8081.',
    '',
    ...table(controlPlane),
    '',
    '## Data plane',
    '',
    '`/api/v1/metrics` on port 8082 of each proxy. The same answer has the metrics of Envoy, whose names begin with `envoy_`. The metrics with `cache` in their',
    'name exist where the agent keeps its configuration on disk.',
    '',
    ...table(dataPlane),
    '',
    '## Process of the control plane',
    '',
    'Node.js and the operating system provide these values. Those of file descriptors and virtual memory exist on Linux.',
    '',
    ...table(process),
    '',
  ].join('\n');
}

const table = (metrics: readonly MetricFacts[]): string[] => [
  '| metric | type | labels | meaning |',
  '|---|---|---|---|',
  ...metrics.map(row),
];

const row = ({ name, type, labels, help }: MetricFacts): string =>
  `| \`${name}\` | ${type} | ${labels.map((label) => `\`${label}\``).join(', ')} | ${help.replaceAll('|', '\\|')} |`;
