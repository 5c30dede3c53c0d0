import { accessWords, PolicyName } from '../../access/index.ts';
import { apiUrl, type RateLimitPolicyEntry } from '../../api/index.ts';
import { useLive } from '../../live/index.ts';
import { Badge, Message, Name, type State } from '../../parts/index.ts';
import { count, duration } from '../../text/index.ts';
import type { OfRules } from './by-rules.ts';
import { limitWords } from './limit-words.ts';
import { mostEntries, RulesPanel } from './rules-panel.tsx';
import { routeWords } from './words.ts';

const states: Readonly<Record<RateLimitPolicyEntry['state'], State>> = {
  inForce: 'ok',
  shadow: 'unknown',
  leftOut: 'warning',
};

/** What requests to a route count against, in the order in which they meet it, and which policy says so. */
export function RouteLimits({ route }: { readonly route: string }) {
  const words = limitWords();
  const limits = useLive<readonly RateLimitPolicyEntry[]>(
    apiUrl('/v1/rate-limit-policies', { target: route, limit: mostEntries }),
  );
  return (
    <RulesPanel title={words.limits} live={limits} none={words.noLimit} of="limits" sameBy={sameBy} Entry={Bucket} />
  );
}

const sameBy = ({ rule: _, ruleName: __, order: ___, target: ____, ...rest }: RateLimitPolicyEntry): unknown => rest;

function Bucket({ entry, rules }: Pick<OfRules<RateLimitPolicyEntry>, 'entry' | 'rules'>) {
  const words = limitWords();
  const { bucket, state, level, policy, phase, key, limits, concurrent, cost, responseCost, match, status, message } =
    entry;
  return (
    <li data-state={state} data-bucket={bucket}>
      <Badge state={states[state]}>{words[state]}</Badge> <Name>{bucket}</Name>
      {concurrent !== null && <strong> {words.atOnce(count(concurrent))}</strong>}
      {limits.map(({ requests, perMs, burst }) => (
        <strong key={`${requests} ${perMs}`}>
          {' '}
          {words.limit(count(requests), duration(perMs))}
          {burst > requests && ` ${words.burst(count(burst))}`}
        </strong>
      ))}{' '}
      {key.length === 0 ? (
        words.together
      ) : (
        <>
          {words.each}{' '}
          {key.map((part) => (
            <span class="chip" key={`${part.kind} ${part.name}`}>
              {words[part.kind]} {part.name !== undefined && <Name>{part.name}</Name>}
            </span>
          ))}
        </>
      )}{' '}
      {match !== null && <span class="quiet">{words.some} </span>}
      {(cost ?? responseCost) !== null && <span class="quiet">{words.costs} </span>}
      {status !== null && <span class="quiet">{words.answers(String(status))} </span>}
      <PolicyName kind="RateLimitPolicy" policy={policy} />{' '}
      <span class="quiet">
        {accessWords()[level]} {routeWords().forRules(rules)}
        {phase === 'beforeAuth' && ` ${words.beforeAuth}`}
      </span>
      {message !== null && (
        <p>
          <Message>{message}</Message>
        </p>
      )}
    </li>
  );
}
