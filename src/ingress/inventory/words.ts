import { counted } from '../../std/index.ts';
import type { Finding } from '../finding.ts';
import { type Verdict, verdicts } from '../verdict.ts';
import type { Inventory, InventoryRow } from './inventory.ts';

/** Verdicts in words, from the worst to the best. */
const words: Readonly<Record<Verdict, string>> = {
  'not-served': 'not served today',
  cannot: 'cannot',
  decision: 'needs a decision',
  differs: 'differs so',
  same: 'same',
  'no-effect': 'no effect',
};

export const wordsOf = (verdict: Verdict): string => words[verdict];

/** Where the controller is, and how much there is. */
export function headLines({ controller, counts, ingresses }: Inventory): readonly string[] {
  const { workload, image, className, configMap, configMapKeys, flags } = controller;
  const where =
    workload === null
      ? 'no controller found'
      : `ingress-nginx ${image?.match(/:v?([\w.-]+)/)?.[1] ?? ''} as ${workload}`;
  const config = configMap === null ? 'no ConfigMap' : `ConfigMap ${configMap}, ${counted(configMapKeys, 'key')}`;
  const others = ingresses.some(({ hosts }) => hosts.includes('*')) ? ' and all others' : '';
  return [
    `${where} (${config}; ${counted(flags, 'flag')}), class ${className}`,
    `${counted(counts.ingresses, 'Ingress', 'Ingresses')} · ${counted(counts.hosts, 'host')}${others} · ${counted(counts.certificates, 'certificate')}`,
  ];
}

/** A line for each verdict that some Ingress has: how many, and for what. */
export const summaryRows = ({
  ingresses,
}: Inventory): readonly { readonly verdict: Verdict; readonly count: number; readonly what: string }[] =>
  verdicts
    .toReversed()
    .map((verdict) => {
      const rows = ingresses.filter((row) => row.verdict === verdict);
      return { verdict, count: rows.length, what: whatOf(verdict, rows) };
    })
    .filter(({ count }) => count > 0)
    .toReversed();

/** The most frequent causes. */
function whatOf(verdict: Verdict, rows: readonly InventoryRow[]): string {
  if (verdict === 'same' || verdict === 'no-effect') return 'nothing to decide';
  const counts = new Map<string, number>();
  for (const { findings } of rows)
    for (const about of new Set(
      findings.filter((finding) => finding.verdict === verdict).map((finding) => finding.about.replace(/ .*$/, '')),
    ))
      counts.set(about, (counts.get(about) ?? 0) + 1);
  const sorted = [...counts].sort(([a, m], [b, n]) => n - m || (a < b ? -1 : 1));
  return sorted
    .slice(0, 4)
    .map(([about, count]) => `${count} ${about}`)
    .join(' · ');
}

/** A finding that many Ingresses have in the same words. */
export interface CommonFinding {
  readonly finding: Finding;
  readonly ingresses: readonly string[];
}

/** What fewer have is said of each. */
const fewestCommon = 4;

/** What a person wants to know: what many Ingresses have, once, and of each Ingress the rest. What stops a move is said of each. */
export function notable({ ingresses }: Inventory): {
  readonly common: readonly CommonFinding[];
  readonly rows: readonly (InventoryRow & { readonly shown: readonly Finding[] })[];
} {
  const all = Map.groupBy(
    ingresses.flatMap(({ ingress, findings }) =>
      findings.filter(({ verdict }) => verdict !== 'same').map((finding) => ({ ingress, finding })),
    ),
    ({ finding }) => keyOfFinding(finding),
  );
  const common = [...all.values()].flatMap((same): readonly CommonFinding[] => {
    const [first] = same;
    const isMild = first?.finding.verdict === 'differs' || first?.finding.verdict === 'no-effect';
    if (first === undefined || !isMild || same.length < fewestCommon) return [];
    return [{ finding: first.finding, ingresses: [...new Set(same.map(({ ingress }) => ingress))] }];
  });
  const isCommon = new Set(common.map(({ finding }) => keyOfFinding(finding)));
  const rows = ingresses.map((row) => ({
    ...row,
    shown: row.findings.filter((finding) => finding.verdict !== 'same' && !isCommon.has(keyOfFinding(finding))),
  }));
  return { common, rows: rows.filter(({ shown }) => shown.length > 0) };
}

const keyOfFinding = ({ verdict, about, text }: Finding): string => JSON.stringify([verdict, about, text]);
