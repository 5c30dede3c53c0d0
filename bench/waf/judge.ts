import type { StageOutput } from './cases.ts';
import type { Talk } from './talk.ts';

/** `rejected`: the proxy answers 4xx or closes the connection before the firewall has seen the whole request, so no backend does. `text`: the test looks into a log that is not ours. */
export type Verdict = 'passed' | 'rejected' | 'missed' | 'false alarm' | 'other answer' | 'text';

const contentTooLarge = 413;

/** What came of a stage, with the rules that matched. */
export function judge(output: StageOutput, talk: Talk, rules: ReadonlySet<number>): Verdict {
  const { expect_ids: expected = [], no_expect_ids: unexpected = [], match_regex, no_match_regex } = output.log ?? {};
  if (match_regex !== undefined || no_match_regex !== undefined) return 'text';
  const isBefore = talk.transaction === undefined && (talk.status === undefined || talk.status >= 400);
  const isRejected = isBefore || talk.status === contentTooLarge;
  if (isRejected) return output.expect_error || output.status === talk.status ? 'passed' : 'rejected';
  if (expected.some((id) => !rules.has(id))) return 'missed';
  if (unexpected.some((id) => rules.has(id))) return 'false alarm';
  return output.status !== undefined && output.status !== talk.status ? 'other answer' : 'passed';
}
