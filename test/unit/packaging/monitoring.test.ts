import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import test from 'ava';
import { allMetrics } from '../../../scripts/generate/metrics-page.ts';
import { root } from '../../../scripts/paths.mjs';
import { agentMetrics } from '../../../src/agent/admin/metrics.ts';
import { RejectedNames } from '../../../src/agent/dns/rejected-names.ts';
import type { HealthFault } from '../../../src/agent/faults.ts';
import { LimitCounts } from '../../../src/agent/limits/limit-counts.ts';
import type { AgentState } from '../../../src/agent/state.ts';
import { createMetrics } from '../../../src/app/control-plane/metrics.ts';
import { createLogger } from '../../../src/telemetry/index.ts';
import { alerts, dashboardExpressions, dashboards, metricsIn, seriesOf } from '../../support/promql.ts';

/** What control plane and agent expose; Envoy's own are held against a real Envoy in test/envoy. */
async function ours(): Promise<Set<string>> {
  const cache = {
    path: '',
    writtenAt: undefined,
    bytes: 0,
    writeFailures: 0,
    fault: undefined,
    restoredFrom: undefined,
  };
  const agent = agentMetrics({
    nodeId: 'a',
    cluster: 'default/edge',
    observe: async () => ({ ready: true, faults: [] as readonly HealthFault[] }) as AgentState,
    process: { restarts: 0, upgrades: 0 },
    watchdog: { hangs: 0 },
    cache: () => cache,
    names: {
      asked: 0,
      failed: 0,
      rejections: new RejectedNames({ logger: createLogger({ level: 'error' }), now: () => new Date() }),
    },
    upstream: { reconnects: 0, supersededCount: 0 },
    passwords: { counts: { outcomes: { right: 0, wrong: 0, busy: 0, tooOften: 0 }, remembered: 0, seconds: 0 } },
    limits: { counts: new LimitCounts(), calls: 0 },
    admin: {
      prometheus: () => Promise.reject(new Error('no Envoy')),
      usedStats: () => Promise.reject(new Error('no Envoy')),
    },
  });
  // The add-on for AI services declares its own; test/envoy/metrics.test.ts sees that they are exposed.
  const ofModels = allMetrics()
    .controlPlane.filter(({ name }) => name.startsWith('gen_ai_'))
    .flatMap(({ name }) => ['', '_bucket', '_count', '_sum'].map((end) => `${name}${end}`));
  return new Set([...seriesOf(await createMetrics().text()), ...seriesOf(await agent.own()), ...ofModels]);
}

test('every metric that an alert names is one that is exposed', async (t) => {
  const known = await ours();
  for (const { alert, expr } of alerts()) {
    const named = metricsIn(expr);
    t.true(named.length > 0, alert);
    for (const name of named) t.true(known.has(name), `${alert}: ${name}`);
  }
});

test('dashboards have names, panels and variables of their own, and no panel hides another', (t) => {
  const all = [...dashboards().values()];
  t.is(all.length, 5);
  t.is(new Set(all.flatMap(({ uid, title }) => [uid, title])).size, 2 * all.length);
  for (const { title, panels, templating } of all) {
    t.is(new Set(panels.map(({ id }) => id)).size, panels.length, title);
    const places = panels.flatMap(({ gridPos: { x, y, w, h } }) =>
      Array.from({ length: w * h }, (_, at) => `${x + (at % w)} ${y + Math.floor(at / w)}`),
    );
    t.is(new Set(places).size, places.length, title);
    const known = new Set([...templating.list.map(({ name }) => name), '__rate_interval', '__all']);
    const used = [...JSON.stringify({ panels, templating }).matchAll(/\$\{?(\w+)/g)].map(([, name = '']) => name);
    t.deepEqual(
      used.filter((name) => !known.has(name)),
      [],
      title,
    );
  }
});

test('every metric that dashboards name is one that is exposed, or Envoy’s', async (t) => {
  const known = await ours();
  const expressions = dashboardExpressions();
  t.true(expressions.length > 20);
  for (const { title, expr } of expressions) {
    const named = metricsIn(expr);
    t.true(named.length > 0, title);
    for (const name of named) t.true(known.has(name) || name.startsWith('envoy_'), `${title}: ${name}`);
  }
});

test('every alert says how bad it is, what is wrong, and has a paragraph in the runbook', (t) => {
  const runbook = readFileSync(join(root, 'docs/operating.md'), 'utf8');
  const names = alerts().map(({ alert }) => alert);
  for (const { alert, labels, annotations } of alerts()) {
    t.true(['critical', 'warning'].includes(labels.severity ?? ''), alert);
    t.truthy(annotations.summary, alert);
    t.truthy(annotations.description, alert);
  }
  const headings = [...runbook.matchAll(/^### (Gatewright\w+)$/gm)].map(([, name]) => name);
  t.deepEqual(headings, names);
});

test('names of metrics are found among functions, labels and variables', (t) => {
  const expr =
    'histogram_quantile(0.99, sum by (le, envoy_cluster_name) (rate(a_seconds_bucket{b_c=~"$d"}[$__rate_interval]))) / on(x) e_total';
  t.deepEqual(metricsIn(expr), ['a_seconds_bucket', 'e_total']);
});
