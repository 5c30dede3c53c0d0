import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parse } from 'yaml';
import { root } from '../../scripts/paths.mjs';

/** One alert of the chart. */
export interface Alert {
  readonly alert: string;
  readonly expr: string;
  readonly labels: Readonly<Record<string, string>>;
  readonly annotations: Readonly<Record<string, string>>;
}

const files = join(root, 'charts/gatewright/files');

/** The rule file of the chart. */
export const alerts = (): Alert[] =>
  (
    parse(readFileSync(join(files, 'alerts.yaml'), 'utf8')) as { groups: readonly { rules: readonly Alert[] }[] }
  ).groups.flatMap(({ rules }) => rules);

interface Panel {
  readonly title: string;
  readonly targets?: readonly { readonly expr: string }[];
}

/** Expressions of the dashboard, each with its panel's title. */
export function dashboardExpressions(): { readonly title: string; readonly expr: string }[] {
  const { panels } = JSON.parse(readFileSync(join(files, 'dashboard.json'), 'utf8')) as { panels: readonly Panel[] };
  return panels.flatMap(({ title, targets = [] }) => targets.map(({ expr }) => ({ title, expr })));
}

/** Names of metrics in an expression: what is left once labels, strings and Grafana's variables are taken out. */
export function metricsIn(expr: string): string[] {
  const bare = expr.replace(/\{[^}]*\}/g, '').replace(/\b(by|without)\s*\([^)]*\)/g, '');
  return [...new Set(bare.match(/\b[a-z]+_[a-z0-9_]+\b/g) ?? [])].filter((name) => !functions.has(name));
}

const functions = new Set(['histogram_quantile']);

/** Names of the series that an exposition can have, by its TYPE lines. */
export function seriesOf(exposition: string): Set<string> {
  const found = new Set<string>();
  for (const [, name = '', kind = ''] of exposition.matchAll(/^# TYPE (\S+) (\S+)$/gm)) {
    for (const suffix of kind === 'histogram' ? ['_bucket', '_sum', '_count'] : ['']) found.add(name + suffix);
  }
  return found;
}
