import { accessWords, PolicyName } from '../../access/index.ts';
import { apiUrl, type TrafficPolicyEntry } from '../../api/index.ts';
import { useLive } from '../../live/index.ts';
import { Badge, Message, Name, type State } from '../../parts/index.ts';
import type { OfRules } from './by-rules.ts';
import { limitWords } from './limit-words.ts';
import { mostEntries, RulesPanel } from './rules-panel.tsx';
import { routeWords } from './words.ts';

const states: Readonly<Record<TrafficPolicyEntry['state'], State>> = {
  inForce: 'ok',
  disabled: 'unknown',
  overridden: 'unknown',
  conflicted: 'warning',
  rejected: 'failing',
  leftOut: 'warning',
  closed: 'failing',
};

/** How requests to a route are treated by TrafficPolicies, ExtensionPolicies and EnvoyPatches, group by group: what holds, and what it takes the place of. */
export function RouteTuning({ route }: { readonly route: string }) {
  const words = limitWords();
  const tuning = useLive<readonly TrafficPolicyEntry[]>(
    apiUrl('/v1/traffic-policies', { target: route, limit: mostEntries }),
  );
  return (
    <RulesPanel
      title={words.tuning}
      live={tuning}
      none={words.noTuning}
      of="tuning"
      order={byGroup}
      sameBy={sameBy}
      Entry={Group}
    />
  );
}

const rankOf = ({ state }: TrafficPolicyEntry): number =>
  state === 'inForce' || state === 'disabled' || state === 'rejected' || state === 'closed' ? 0 : 1;

/** What holds goes before what does not. */
const byGroup = (a: TrafficPolicyEntry, b: TrafficPolicyEntry): number =>
  a.group === b.group ? rankOf(a) - rankOf(b) : a.group < b.group ? -1 : 1;

const sameBy = ({ rule: _, ruleName: __, target: ___, ...rest }: TrafficPolicyEntry): unknown => rest;

function Group({ entry, rules }: Pick<OfRules<TrafficPolicyEntry>, 'entry' | 'rules'>) {
  const { kind, group, state, level, policy, by, value, message } = entry;
  return (
    <li data-state={state} data-group={group}>
      <Badge state={states[state]}>{limitWords()[`of_${state}`]}</Badge> <code>{group}</code>{' '}
      {value !== null && <Name>{textOf(value)}</Name>} <PolicyName kind={kind} policy={policy} />{' '}
      <span class="quiet">
        {accessWords()[level]} {routeWords().forRules(rules)}
      </span>
      {by !== null && (
        <>
          {' '}
          {routeWords().by} <PolicyName kind={kind} policy={by} />
        </>
      )}
      {message !== null && (
        <>
          {' '}
          <Message>{message}</Message>
        </>
      )}
    </li>
  );
}

/** A value as the policy has it, in one line: `request 9s, backendRequest 3s`. */
function textOf(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(textOf).join(', ')}]`;
  if (typeof value !== 'object' || value === null) return String(value);
  return Object.entries(value)
    .map(([name, each]) => `${name} ${isNested(each) ? `{${textOf(each)}}` : textOf(each)}`)
    .join(', ');
}

const isNested = (value: unknown): boolean => typeof value === 'object' && value !== null && !Array.isArray(value);
