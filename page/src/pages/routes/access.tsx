import { accessWords, PolicyName } from '../../access/index.ts';
import { type AccessEntry, apiUrl } from '../../api/index.ts';
import { useLive } from '../../live/index.ts';
import { Badge, Loaded, Message, Name, Panel, type State } from '../../parts/index.ts';
import { byRules, type OfRules } from './by-rules.ts';
import { routeWords } from './words.ts';

const states: Readonly<Record<AccessEntry['state'], State>> = {
  inForce: 'ok',
  closed: 'failing',
  overridden: 'unknown',
  conflicted: 'warning',
  unattached: 'warning',
};

/** The most that one answer has. */
const mostEntries = 500;

/** Which policies requests to a route meet, from the Gateway's to the rule's. */
export function RouteAccess({ route }: { readonly route: string }) {
  const words = routeWords();
  const access = useLive<readonly AccessEntry[]>(apiUrl('/v1/access', { route, limit: mostEntries }));
  return (
    <Panel title={words.access} live={access}>
      <Loaded live={access}>
        {(entries) =>
          entries.length === 0 ? (
            <p class="quiet">{words.noPolicy}</p>
          ) : (
            <ol class="access-parts">
              {byRules(entries, sameBy).map((each) => (
                <Entry key={each.key} entry={each.entry} rules={each.rules} />
              ))}
            </ol>
          )
        }
      </Loaded>
    </Panel>
  );
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
