import { accessWords, PolicyName } from '../../access/index.ts';
import { type AccessEntry, apiUrl } from '../../api/index.ts';
import { useLive } from '../../live/index.ts';
import { Badge, Message, Name, type State } from '../../parts/index.ts';
import type { OfRules } from './by-rules.ts';
import { mostEntries, RulesPanel } from './rules-panel.tsx';
import { routeWords } from './words.ts';

const states: Readonly<Record<AccessEntry['state'], State>> = {
  inForce: 'ok',
  closed: 'failing',
  overridden: 'unknown',
  conflicted: 'warning',
  unattached: 'warning',
};

/** Which policies requests to a route meet, from the Gateway's to the rule's. */
export function RouteAccess({ route }: { readonly route: string }) {
  const words = routeWords();
  const access = useLive<readonly AccessEntry[]>(apiUrl('/v1/access', { route, limit: mostEntries }));
  return <RulesPanel title={words.access} live={access} none={words.noPolicy} sameBy={sameBy} Entry={Entry} />;
}

const sameBy = ({ gateway, part, level, policy, state, by, reasons }: AccessEntry): unknown => [
  [gateway, part, level, policy],
  [state, by, reasons],
];

function Entry({ entry, rules }: Pick<OfRules<AccessEntry>, 'entry' | 'rules'>) {
  const words = accessWords();
  const { gateway, part, level, policy, state, by, reasons } = entry;
  return (
    <li data-state={state} data-part={part}>
      <Badge state={states[state]}>{words[state]}</Badge>{' '}
      {part !== null && (
        <>
          <code>{part}</code> <span class="quiet">({words[part]})</span>{' '}
        </>
      )}
      <PolicyName policy={policy} /> <span class="quiet">{level !== null && words[level]}</span>{' '}
      {gateway !== null && level !== 'route' && level !== 'rule' && (
        <>
          <Name>{`${gateway.namespace}/${gateway.name}`}</Name>{' '}
        </>
      )}
      <span class="quiet">{routeWords().forRules(rules)}</span>
      {by !== null && (
        <>
          {' '}
          {routeWords().by} <PolicyName policy={by} />
        </>
      )}
      {reasons.map((reason) => (
        <p key={reason}>
          <Message>{reason}</Message>
        </p>
      ))}
    </li>
  );
}
