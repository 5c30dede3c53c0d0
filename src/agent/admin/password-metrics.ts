import type { MetricSet } from '../../telemetry/index.ts';
import type { PasswordServer } from '../passwords/index.ts';

/** Of passwords that the agent checks. */
export function passwordMetrics(metrics: MetricSet) {
  return {
    answers: metrics.observedCounter('gateway_dataplane_password_checks_total', {
      help: 'Answers about passwords that the agent checks: right, wrong, busy (503) or too_often (429).',
      labels: ['verdict'],
    }),
    remembered: metrics.observedCounter('gateway_dataplane_password_checks_remembered_total', {
      help: 'Answers about passwords that were known from a check before.',
    }),
    seconds: metrics.observedCounter('gateway_dataplane_password_check_seconds_total', {
      help: 'Time that checks of passwords took in threads, in seconds.',
    }),
  };
}

export function readPasswords(
  { answers, remembered, seconds }: ReturnType<typeof passwordMetrics>,
  passwords: Pick<PasswordServer, 'counts'>,
): void {
  answers.readBy(() => {
    const { right, wrong, busy, tooOften } = passwords.counts.outcomes;
    const all = { right, wrong, busy, too_often: tooOften };
    return Object.entries(all).map(([verdict, value]) => [{ verdict }, value] as const);
  });
  remembered.readBy(() => passwords.counts.remembered);
  seconds.readBy(() => passwords.counts.seconds);
}
