import { namesOf, type Results } from './results.ts';

interface Part {
  readonly result: string;
  readonly statistics: { readonly Passed: number; readonly Failed: number; readonly Skipped: number };
  readonly supportedFeatures?: readonly string[];
  readonly unsupportedFeatures?: readonly string[];
}

/** The part we read of a report that the suite writes. Source: ConformanceReport of gateway-api/conformance/apis/v1. */
export interface Report {
  readonly date: string;
  readonly gatewayAPIChannel: string;
  readonly gatewayAPIVersion: string;
  /** In reports of the Inference Extension alone. */
  readonly GatewayAPIInferenceExtensionVersion?: string;
  readonly implementation: { readonly version: string };
  readonly profiles: readonly { readonly name: string; readonly core: Part; readonly extended?: Part }[];
}

/** A page about a run: the suite's own report as a table, and every test that was run. */
export type ConformancePage = (report: Report, results: Results) => string;

/** docs/conformance.md */
export function gatewayApiPage(report: Report, results: Results): string {
  const { gatewayAPIVersion, gatewayAPIChannel, implementation, date } = report;
  return [
    '# Conformance',
    '',
    '<!-- Made by `npm run conformance -- --publish`. -->',
    '',
    `Gatewright ${implementation.version} against the official suite of Gateway API ${gatewayAPIVersion}, ${gatewayAPIChannel} channel, ${date.slice(0, 10)}. The suite's binary`,
    'is unchanged and gets no feature flags: it reads the features from the status of the GatewayClass. No test is skipped or exempt.',
    '[conformance-report.yaml](conformance-report.yaml) is the report as the suite wrote it; [how to repeat it](../test/conformance/README.md).',
    '',
    '| profile | core | extended | extended features without a claim |',
    '|---|---|---|---|',
    ...report.profiles.map(({ name, core, extended }) => {
      const unclaimed = extended?.unsupportedFeatures ?? [];
      return `| ${name} | ${partText(core)} | ${extended ? partText(extended) : 'none'} | ${unclaimed.join(', ') || 'none'} |`;
    }),
    '',
    ...testsOf(results),
    '',
  ].join('\n');
}

/** docs/inference-conformance.md */
export function inferencePage(report: Report, results: Results): string {
  const { GatewayAPIInferenceExtensionVersion: version, gatewayAPIVersion, implementation, date, profiles } = report;
  return [
    '# Conformance of pools of model servers',
    '',
    '<!-- Made by `npm run conformance -- --inference --publish`. -->',
    '',
    `Gatewright ${implementation.version} against the official suite of the Gateway API Inference Extension ${version} with Gateway API ${gatewayAPIVersion}, ${date.slice(0, 10)}.`,
    "The suite, its manifests and its endpoint picker are unchanged. No test is skipped or exempt. The picker takes bodies in one message, so Gatewright's",
    '[mode of pickers](inference.md#modes-of-pickers) is `Auto`.',
    '[inference-conformance-report.yaml](inference-conformance-report.yaml) is the report as the suite wrote it; [how to repeat it](../test/conformance/README.md).',
    '',
    '| profile | core |',
    '|---|---|',
    ...profiles.map(({ name, core }) => `| ${name} | ${partText(core)} |`),
    '',
    ...testsOf(results),
    '',
  ].join('\n');
}

const partText = ({ result, statistics: { Passed, Failed, Skipped } }: Part): string =>
  `${result}: ${Passed} passed, ${Failed} failed, ${Skipped} skipped`;

function testsOf(results: Results): string[] {
  const [passed, failed] = [namesOf(results, 'passed'), namesOf(results, 'failed')];
  const list = (title: string, names: readonly string[]) =>
    names.length === 0 ? [] : [`${title}: ${names.join(', ')}.`];
  return [...list(`Failed (${failed.length})`, failed), ...list(`Passed (${passed.length})`, passed)];
}
