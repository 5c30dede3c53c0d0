import { readdirSync, readFileSync } from 'node:fs';
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
  readonly id: number;
  readonly title: string;
  readonly gridPos: { readonly x: number; readonly y: number; readonly w: number; readonly h: number };
  readonly targets?: readonly { readonly expr: string }[];
}

/** A Grafana dashboard of the chart. */
interface Dashboard {
  readonly uid: string;
  readonly title: string;
  readonly panels: readonly Panel[];
  readonly templating: { readonly list: readonly { readonly name: string; readonly definition?: string }[] };
}

/** By file name. */
export const dashboards = (): ReadonlyMap<string, Dashboard> =>
  new Map(
    readdirSync(join(files, 'dashboards')).map((name) => [
      name,
      JSON.parse(readFileSync(join(files, 'dashboards', name), 'utf8')) as Dashboard,
    ]),
  );

/** Expressions of the dashboards, each with its panel's title. */
export const dashboardExpressions = (): { readonly title: string; readonly expr: string }[] =>
  [...dashboards().values()].flatMap((dashboard) =>
    dashboard.panels.flatMap(({ title, targets = [] }) =>
      targets.map(({ expr }) => ({ title: `${dashboard.title}, ${title}`, expr })),
    ),
  );

/** Names of metrics in an expression: what is left once labels, strings and Grafana's variables are taken out. */
export function metricsIn(expr: string): string[] {
  const bare = expr.replace(/\{[^}]*\}/g, '').replace(/\b(by|without)\s*\([^)]*\)/g, '');
  return [...new Set(bare.match(/\b[a-z]+_[a-z0-9_]+\b/g) ?? [])].filter((name) => !functions.has(name));
}

/** What an expression looks for: a series by name, with what it asks of labels. */
export interface Selector {
  readonly series: string;
  readonly matchers: readonly { readonly label: string; readonly operator: string; readonly value: string }[];
}

/** Labels that Prometheus adds to each series of a target. */
const targetLabels = new Set(['namespace', 'job', 'pod', 'instance']);

/** All that an expression looks for, apart from labels of targets and values of Grafana's variables. */
export function selectorsIn(expr: string): Selector[] {
  return [...expr.matchAll(/\b([a-z]+_[a-z0-9_]+)\b(?:\{([^}]*)\})?/g)]
    .filter(([, series = '']) => metricsIn(expr).includes(series))
    .map(([, series = '', text = '']) => {
      const all = [...text.matchAll(/(\w+)\s*(=~|!~|!=|=)\s*"([^"]*)"/g)];
      const matchers = all.map(([, label = '', operator = '', value = '']) => ({ label, operator, value }));
      return {
        series,
        matchers: matchers.filter(({ label, value }) => !targetLabels.has(label) && !value.includes('$')),
      };
    });
}

/** Labels that an expression groups by, apart from those of targets. */
export const groupsIn = (expr: string): string[] =>
  [...expr.matchAll(/\b(?:by|without|on)\s*\(([^)]*)\)/g)]
    .flatMap(([, labels = '']) => labels.split(',').map((label) => label.trim()))
    .filter((label) => !targetLabels.has(label));

/** Whether a selector finds a series with these labels. */
export const finds = ({ matchers }: Selector, labels: Readonly<Record<string, string>>): boolean =>
  matchers.every(({ label, operator, value }) => {
    const actual = labels[label] ?? '';
    const isEqual = operator.endsWith('~') ? new RegExp(`^(?:${value})$`).test(actual) : actual === value;
    return operator.startsWith('!') ? !isEqual : isEqual;
  });

const functions = new Set(['histogram_quantile']);

/** Names of the series that an exposition can have, by its TYPE lines. */
export function seriesOf(exposition: string): Set<string> {
  const found = new Set<string>();
  for (const [, name = '', kind = ''] of exposition.matchAll(/^# TYPE (\S+) (\S+)$/gm)) {
    for (const suffix of kind === 'histogram' ? ['_bucket', '_sum', '_count'] : ['']) found.add(name + suffix);
  }
  return found;
}
