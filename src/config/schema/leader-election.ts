import * as z from 'zod';
import { duration, flag, text } from './leaf.ts';

const objectName = /^[a-z0-9]([-a-z0-9.]{0,251}[a-z0-9])?$/;

/** A renewal is tried so many retry periods apart at most, as in client-go (its JitterFactor). */
const jitter = 1.2;

/**
 * Which of several control planes writes to the cluster. Longer times mean fewer changes of leader under load, and a
 * longer time without one when it dies. Durations in milliseconds.
 */
export const leaderElection = z
  .strictObject({
    enabled: flag().prefault(true).describe('Without it this control plane always writes: for one that is alone.'),
    id: text('a name such as "gatewright-leader"')
      .regex(objectName, { error: 'the name of a Lease: lower case letters, digits, "-" and "."' })
      .default('gatewright-leader')
      .describe('Name of the Lease. No other program of the namespace may use it.'),
    namespace: text('a namespace such as "gatewright-system"')
      .optional()
      .describe('Of the Lease. Without it: the pod’s own, or the kubeconfig’s.'),
    leaseDuration: duration()
      .prefault('15s')
      .describe('For so long after its leader’s last sign of life nobody else takes the lease.'),
    renewDeadline: duration()
      .prefault('10s')
      .describe('A leader that could not renew the lease for so long stops writing. Shorter than `leaseDuration`.'),
    retryPeriod: duration()
      .prefault('2s')
      .describe('How often the lease is renewed, and looked at. 1.2 times this is shorter than `renewDeadline`.'),
  })
  .superRefine(({ leaseDuration, renewDeadline, retryPeriod }, context) => {
    const refuse = (key: string, message: string) => context.addIssue({ code: 'custom', path: [key], message });
    if (leaseDuration < 1000) refuse('leaseDuration', 'at least "1s"');
    if (retryPeriod <= 0) refuse('retryPeriod', 'more than "0s"');
    if (renewDeadline >= leaseDuration)
      refuse('renewDeadline', `less than leaseDuration, which is ${leaseDuration / 1000}s`);
    if (renewDeadline <= jitter * retryPeriod)
      refuse('renewDeadline', `more than ${jitter} times retryPeriod, which is ${retryPeriod / 1000}s`);
  })
  .transform(({ leaseDuration, renewDeadline, retryPeriod, ...rest }) => ({
    ...rest,
    leaseDurationMs: leaseDuration,
    renewDeadlineMs: renewDeadline,
    retryPeriodMs: retryPeriod,
  }))
  .prefault({})
  .describe('Which of several control planes writes to the cluster.');
