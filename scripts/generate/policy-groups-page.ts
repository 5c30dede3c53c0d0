import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parse } from 'yaml';
import { root, versions } from '../paths.mjs';

/** A row of policy-groups.yaml, which says what its fields are. */
export interface PolicyGroup {
  readonly group: string;
  readonly eg: readonly string[];
  readonly ours?: readonly string[];
  readonly how?: string;
  readonly lacks?: string;
  readonly note?: string;
  readonly tests?: readonly string[];
  readonly others: string;
}

/** The groups of one kind of Envoy Gateway. */
export interface PolicySection {
  readonly kind: string;
  readonly rows: readonly PolicyGroup[];
}

export const readPolicySections = (): readonly PolicySection[] =>
  parse(readFileSync(join(root, 'scripts/policy-groups.yaml'), 'utf8'));

/** Gateways by the letters that stand for them in a row's `others`. */
export const otherGateways: Readonly<Record<string, string>> = {
  K: 'kgateway',
  T: 'Traefik',
  N: 'NGINX Gateway Fabric',
  I: 'Istio',
  A: 'agentgateway',
  G: 'Kong',
};

/** Whether Gatewright has a group, by its row. */
export function stateOf({ ours = [], how, lacks }: PolicyGroup): 'whole' | 'in part' | 'not there' {
  if (ours.length === 0 && how === undefined) return 'not there';
  return lacks === undefined ? 'whole' : 'in part';
}

/** docs/policy-groups.md. */
export function policyGroupsPage(sections: readonly PolicySection[] = readPolicySections()): string {
  const rows = sections.flatMap((section) => section.rows);
  const count = (state: string) => rows.filter((row) => stateOf(row) === state).length;
  return [
    '# Policy groups, beside those of Envoy Gateway',
    '',
    '<!-- Made by `npm run generate` from scripts/policy-groups.yaml. -->',
    '',
    `This page is for those who move from Envoy Gateway, or compare. It puts the policy fields of version ${versions.ENVOY_GATEWAY.replace(/\.\d+$/, '')} into ${rows.length} groups, with the fields that do the same here.`,
    `Gatewright has ${count('whole')} groups whole and ${count('in part')} in part; ${count('not there')} are not there.`,
    '',
    '- Fields of Envoy Gateway are below `spec` of the kind in the heading.',
    "- Fields of ours are written `KIND.spec.FIELD`. Gateway API's own kinds are among them, some in its [experimental channel](experimental.md).",
    '- The tests named send requests through a real Envoy. Those of `kube` look at the objects that the control plane writes to a real API server.',
    '- Unit tests compare this page with the definitions and the files that there are. They fail if no test of a row sets one of its fields.',
    `- The last column has other gateways with such a group, as of November 2026. Those looked at are ${list(Object.values(otherGateways))}. In parentheses: only its commercial edition, a plugin, or a raw patch of its configuration.`,
    '',
    '[Access policies](access-policies.md), [rate limits](rate-limits.md), [traffic policies](traffic-policies.md), [HTTP filters](http-filters.md),',
    '[backend and listener policies](policies.md) and [DataPlane](data-plane-resource.md) describe the fields.',
    ...sections.flatMap(({ kind, rows }) => [
      '',
      `## ${kind}`,
      '',
      '| group | Envoy Gateway | Gatewright | tests | also in |',
      '|---|---|---|---|---|',
      ...rows.map(rowOf),
    ]),
    '',
  ].join('\n');
}

const rowOf = (row: PolicyGroup): string =>
  `| ${[row.group, code(row.eg), oursOf(row), (row.tests ?? []).map(link).join(', '), othersOf(row)].join(' | ')} |`;

function oursOf(row: PolicyGroup): string {
  const { ours = [], how, lacks, note } = row;
  const has = how ?? code(ours);
  switch (stateOf(row)) {
    case 'whole':
      return has;
    case 'in part':
      return `**in part**: ${has}. Missing: ${lacks}`;
    case 'not there':
      return note === undefined ? 'not there' : `not there; ${note}`;
  }
}

const othersOf = ({ others }: PolicyGroup): string =>
  others
    .split(' ')
    .filter(Boolean)
    .map((letter) => {
      const name = otherGateways[letter.toUpperCase()];
      return letter === letter.toUpperCase() ? name : `(${name})`;
    })
    .join(', ');

const code = (fields: readonly string[]): string => fields.map((field) => `\`${field}\``).join(', ');
const link = (test: string): string => `[${test}](../test/${test}.test.ts)`;
const list = (names: readonly string[]): string => `${names.slice(0, -1).join(', ')} and ${names.at(-1)}`;
