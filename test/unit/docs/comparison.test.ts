import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import test from 'ava';
import { parse } from 'yaml';
import { root } from '../../../scripts/paths.mjs';

interface Report {
  readonly gatewayAPIVersion: string;
  readonly implementation: { readonly version: string };
  readonly profiles: readonly {
    readonly name: string;
    readonly core: { readonly result: string };
    readonly extended: { readonly statistics: { readonly Passed: number } };
  }[];
}

const page = readFileSync(join(root, 'docs/comparison.md'), 'utf8');
const report = parse(readFileSync(join(root, 'docs/conformance-report.yaml'), 'utf8')) as Report;

test('the row of ours is what our report says', (t) => {
  const passed = (profile: string) =>
    report.profiles.find(({ name }) => name === `GATEWAY-${profile}`)?.extended.statistics.Passed;
  const { version } = report.implementation;
  const cells = ['HTTP', 'GRPC', 'TLS', 'TCP', 'UDP'].map(passed).join(' | ');
  const row = `| Gatewright ${version.slice(1)} | ${report.gatewayAPIVersion.slice(1)} | ${cells} | |`;
  t.true(page.includes(row), `docs/comparison.md has no row that begins: ${row}`);
  t.true(report.profiles.every(({ core }) => core.result === 'success'));
});

test('each other gateway has its report linked, and what it is good for has a source', (t) => {
  const tables = page.split('\n## ');
  const reports = tables.find((part) => part.startsWith("What upstream's suite says")) ?? '';
  const others = reports.match(/^\| (?!gateway|-|Gatewright).*$/gm) ?? [];
  t.is(others.length, 7);
  for (const row of others) t.regex(row, /\(https:\/\/github\.com\/kubernetes-sigs\/gateway-api\/.*\.yaml\)/);
  const choices = tables.find((part) => part.startsWith('Which one for what')) ?? '';
  for (const row of choices.match(/^\| (?!you want|-).*$/gm) ?? []) t.regex(row, /\(https:\/\/|\| Gatewright \|/, row);
});
