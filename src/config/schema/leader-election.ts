import * as z from 'zod';
import { duration, flag, text } from './leaf.ts';

const objectName = /^[a-z0-9]([-a-z0-9.]{0,251}[a-z0-9])?$/;

/** A renewal is tried so many retry periods apart at most, as in client-go (its JitterFactor). */
const jitter = 1.2;

/**
 * The election of the control plane that writes to the cluster. Longer times mean fewer changes of leader under load, and a
 * longer time without one when it dies. Durations in milliseconds.
 */
export const leaderElection = z
  .strictObject({
    enabled: flag().prefault(true).describe('If false, this control plane always writes: for a single one.'),
    id: text('a name such as "gatewright-leader"')
      .regex(objectName, { error: 'the name of a Lease: lower case letters, digits, "-" and "."' })
      .default('gatewright-leader')
      .describe('Name of the Lease. No other program of the namespace may use it.'),
    namespace: text('a namespace such as "gatewright-system"')
      .optional()
      .describe('Namespace of the Lease. Default: the pod’s own, or the kubeconfig’s.'),
    leaseDuration: duration()
      .prefault('15s')
      .describe('Time after the leader’s last renewal before another replica takes the lease.'),
    renewDeadline: duration()
      .prefault('10s')
      .describe('A leader that could not renew the lease for this time stops writing. Shorter than `leaseDuration`.'),
    retryPeriod: duration()
      .prefault('2s')
      .describe(
        'Interval of checks of the lease, and of tries to renew it. A leader that renewed it rests for 3/8 of `renewDeadline`, if that is longer. 1.2 times this must be shorter than `renewDeadline`.',
      ),
  })
  .superRefine(({ leaseDuration, renewDeadline, retryPeriod }, context) => {
    const reject = (key: string, message: string) => context.addIssue({ code: 'custom', path: [key], message });
    if (leaseDuration < 1000) reject('leaseDuration', 'at least "1s"');
    if (retryPeriod <= 0) reject('retryPeriod', 'more than "0s"');
    if (renewDeadline >= leaseDuration)
      reject('renewDeadline', `less than leaseDuration, which is ${leaseDuration / 1000}s`);
    if (renewDeadline <= jitter * retryPeriod)
      reject('renewDeadline', `more than ${jitter} times retryPeriod, which is ${retryPeriod / 1000}s`);
  })
  .transform(({ leaseDuration, renewDeadline, retryPeriod, ...rest }) => ({
    ...rest,
    leaseDurationMs: leaseDuration,
    renewDeadlineMs: renewDeadline,
    retryPeriodMs: retryPeriod,
  }))
  .prefault({})
  .describe('The election of the control plane that writes to the cluster.');
