import type { Change, Marking } from '../../graph/engine/index.ts';
import { versionsOf } from '../../graph/engine/index.ts';
import { parseBackendOwner } from '../../graph/model/index.ts';
import { markRoutesTo } from '../../graph/routes/index.ts';
import { markTargets, policiesOf, targetsOfBoth } from '../policies/index.ts';
import { limitsRetries, tunedTargets } from './tuning.ts';

/** Beside its targets, the routes to them where retries are limited: by this policy, or by another one that may win now. */
export function markBackendPolicy(change: Change<'BackendPolicy'>, marking: Marking): void {
  markTargets(tunedTargets, change, marking);
  for (const target of targetsOfBoth(change)) {
    const all = [...versionsOf(change), ...policiesOf(tunedTargets, target, marking)];
    if (all.some(limitsRetries)) markRoutesTo(parseBackendOwner(target).key, marking);
  }
}
