import { execFileSync } from 'node:child_process';
import { globSync, readFileSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { parse } from 'yaml';
import { firewallSource } from '../../scripts/setup/firewall.mjs';
import { ensureGo, GO_ENVIRONMENT } from '../../scripts/setup/go.mjs';

/** What is sent in a stage. Source: go-ftw's format of tests. */
export interface StageInput {
  readonly method?: string;
  readonly uri?: string;
  readonly version?: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly data?: string;
  /** Base64 of the request as a whole. */
  readonly encoded_request?: string;
  readonly autocomplete_headers?: boolean;
}

/** What has to come of it. */
export interface StageOutput {
  readonly status?: number;
  readonly expect_error?: boolean;
  readonly log?: {
    readonly expect_ids?: readonly number[];
    readonly no_expect_ids?: readonly number[];
    readonly match_regex?: string;
    readonly no_match_regex?: string;
  };
}

export interface Case {
  /** Such as `942100-3`. */
  readonly name: string;
  /** Folder of the rule's test, such as `REQUEST-942-APPLICATION-ATTACK-SQLI`. */
  readonly group: string;
  readonly stages: readonly { readonly input: StageInput; readonly output: StageOutput }[];
}

interface TestFile {
  readonly rule_id: number;
  readonly tests: readonly { readonly test_id: number; readonly stages: Case['stages'] }[];
}

/** The tests that the Core Rule Set brings, of the version that the firewall of `examples/waf` is made of. */
export async function coreRuleSetCases(): Promise<{ readonly version: string; readonly cases: readonly Case[] }> {
  const go = await ensureGo('the tests of the Core Rule Set');
  const module = execFileSync(
    go,
    ['list', '-m', '-f', '{{.Dir}} {{.Version}}', 'github.com/corazawaf/coraza-coreruleset/v4'],
    { cwd: firewallSource, env: { ...process.env, ...GO_ENVIRONMENT }, encoding: 'utf8' },
  );
  const [folder = '', version = ''] = module.trim().split(' ');
  const files = globSync(join(folder, 'tests/*/*.yaml')).sort();
  return { version, cases: files.flatMap(casesIn) };
}

function casesIn(path: string): Case[] {
  const file = parse(readFileSync(path, 'utf8')) as TestFile | null;
  const group = basename(dirname(path));
  return (file?.tests ?? []).map(({ test_id: id, stages }) => ({ name: `${file?.rule_id}-${id}`, group, stages }));
}
