import type { Visit } from '../../kit/table.ts';
import { fieldsOf, numberOf } from '../../kit/values.ts';
import { durationOf } from './durations.ts';

/** What requests are counted by. */
export const criteria = ['ipStrategy', 'requestHeaderName', 'requestHost'].map((name) => `sourceCriterion.${name}`);

/** `rateLimit` */
export function limitOf(value: unknown, visit: Visit): void {
  const { average = 0, burst = 1, period = '1s', sourceCriterion, redis } = fieldsOf(value);
  const requests = numberOf(average);
  if (requests === 0) {
    visit.note('no-effect', 'without average nothing is limited');
    return;
  }
  // All proxies count together here without Redis.
  if (redis !== undefined) visit.set('RateLimitPolicy.counting', 'Shared');
  visit.draft.push('RateLimitPolicy.buckets', {
    key: [keyOf(sourceCriterion, { type: 'ClientIP', v6Prefix: 128 }, visit)],
    limits: [{ requests, per: durationOf(period), burst: Math.max(requests, numberOf(burst)) }],
  });
  if (numberOf(burst) < requests)
    visit.at('burst').note('differs', `a bucket holds as many requests as come through in its window: ${requests}`);
}

/** Source: RateLimitPolicy. */
const mostUnderWay = 1_000_000;

/** `inFlightReq`: each instance of Traefik counts its own too, by host unless it says otherwise. */
export function underWayOf(value: unknown, visit: Visit): void {
  const { amount = 0, sourceCriterion } = fieldsOf(value);
  const concurrent = Math.min(numberOf(amount), mostUnderWay);
  if (concurrent <= 0) {
    visit.note('no-effect', 'without amount nothing is limited');
    return;
  }
  visit.draft.push('RateLimitPolicy.buckets', { key: [keyOf(sourceCriterion, { type: 'Host' }, visit)], concurrent });
  visit.note('differs', 'requests come through while the agent of a proxy does not answer');
}

function keyOf(criterion: unknown, otherwise: object, visit: Visit): object {
  const { requestHeaderName, requestHost, ipStrategy } = criterion === undefined ? {} : fieldsOf(criterion);
  if (ipStrategy !== undefined)
    visit
      .at('sourceCriterion.ipStrategy')
      .note('decision', 'the client’s address is of the listener here: clientIP of its ListenerPolicy');
  if (typeof requestHeaderName === 'string') return { type: 'Header', name: requestHeaderName };
  if (requestHost === true) return { type: 'Host' };
  return ipStrategy === undefined ? otherwise : { type: 'ClientIP', v6Prefix: 128 };
}
