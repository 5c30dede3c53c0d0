import type { RouteTestBackend } from '../api/index.ts';
import { count } from '../text/index.ts';
import { pickWords } from './pick-words.ts';
import { Name } from './state.tsx';

/** What became of requests to a pool lately, and why; nothing where there were none. */
export function PickList({ picks }: { readonly picks: NonNullable<RouteTestBackend['picker']>['lately'] }) {
  if (picks.length === 0) return null;
  return (
    <ul class="quiet">
      {picks.map(({ outcome, endpoint, requests }) => (
        <li key={`${outcome} ${endpoint}`} data-pick={outcome}>
          {count(requests)} ×{' '}
          {endpoint !== null && (
            <>
              <Name>{endpoint}</Name>:{' '}
            </>
          )}
          {pickWords()[outcome]}
        </li>
      ))}
    </ul>
  );
}
