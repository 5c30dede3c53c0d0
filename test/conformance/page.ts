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
  readonly implementation: { readonly version: string };
  readonly profiles: readonly { readonly name: string; readonly core: Part; readonly extended?: Part }[];
}

/** docs/conformance.md: the suite's own report as a table, and every test that was run. */
export function conformancePage(report: Report, results: Results): string {
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

const partText = ({ result, statistics: { Passed, Failed, Skipped } }: Part): string =>
  `${result}: ${Passed} passed, ${Failed} failed, ${Skipped} skipped`;

function testsOf(results: Results): string[] {
  const [passed, failed] = [namesOf(results, 'passed'), namesOf(results, 'failed')];
  const list = (title: string, names: readonly string[]) =>
    names.length === 0 ? [] : [`${title}: ${names.join(', ')}.`];
  return [...list(`Failed (${failed.length})`, failed), ...list(`Passed (${passed.length})`, passed)];
}
