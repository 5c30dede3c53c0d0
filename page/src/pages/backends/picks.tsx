import { apiUrl, type Picks, type PoolPicks } from '../../api/index.ts';
import { trafficEvents, useLive } from '../../live/index.ts';
import { Fact, Loaded, Name, Panel, pickWords } from '../../parts/index.ts';
import { count } from '../../text/index.ts';
import { backendWords } from './words.ts';

/** Which servers of a pool, `NAMESPACE/NAME`, answered lately, and whether its picker chose them. */
export function PicksPanel({ pool }: { readonly pool: string }) {
  const words = backendWords();
  const [namespace = '', name = ''] = pool.split('/');
  const picks = useLive<Picks>(apiUrl('/v1/picks', { namespace, name }), { on: trafficEvents });
  return (
    <Panel title={words.picks} live={picks}>
      <Loaded live={picks}>
        {({ items: [known] }) =>
          known === undefined ? <p class="quiet">{words.noPicks}</p> : <PoolList pool={known} />
        }
      </Loaded>
    </Panel>
  );
}

function PoolList({ pool: { picker, outcomes, endpoints } }: { readonly pool: PoolPicks }) {
  const words = backendWords();
  return (
    <>
      <dl class="facts">
        {picker !== null && (
          <Fact name={words.picker}>
            <Name>{picker}</Name>
          </Fact>
        )}
        {outcomesOf(outcomes).map(([outcome, requests]) => (
          <Fact key={outcome} name={pickWords()[outcome]}>
            <span data-outcome={outcome}>{count(requests)}</span>
          </Fact>
        ))}
      </dl>
      <ul>
        {endpoints.map(({ endpoint, requests, outcomes: of }) => (
          <li key={endpoint} data-endpoint={endpoint}>
            <Name>{endpoint}</Name> {count(requests)}{' '}
            <span class="quiet">
              {outcomesOf(of)
                .map(([outcome, some]) => `${pickWords()[outcome]} ${count(some)}`)
                .join(', ')}
            </span>
          </li>
        ))}
      </ul>
    </>
  );
}

type Outcomes = PoolPicks['outcomes'];

const outcomesOf = (outcomes: Outcomes) =>
  (Object.entries(outcomes) as [keyof Outcomes, number][]).filter(([, requests]) => requests > 0);
