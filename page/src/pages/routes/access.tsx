import { accessWords, PolicyName } from '../../access/index.ts';
import { type AccessEntry, apiUrl } from '../../api/index.ts';
import { useLive } from '../../live/index.ts';
import { Badge, Loaded, Message, Name, Panel, type State } from '../../parts/index.ts';
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
              {joined(entries).map(({ entry, rules }) => (
                <Entry key={keyOf(entry)} entry={entry} rules={rules} />
              ))}
            </ol>
          )
        }
      </Loaded>
    </Panel>
  );
}

function Entry({ entry, rules }: Joined) {
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

interface Joined {
  readonly entry: AccessEntry;
  /** Such as `0, 2–5`. */
  readonly rules: string;
}

const keyOf = ({ gateway, part, level, policy, state, by, reasons }: AccessEntry): string =>
  JSON.stringify([gateway, part, level, policy, state, by, reasons]);

/** What is the same for several rules is one line. */
const joined = (entries: readonly AccessEntry[]): readonly Joined[] =>
  [...Map.groupBy(entries, keyOf).values()].flatMap((same) => {
    const [entry] = same;
    return entry === undefined ? [] : [{ entry, rules: spans(same.flatMap(({ rule }) => rule ?? [])) }];
  });

function spans(numbers: readonly number[]): string {
  const spanned: [first: number, last: number][] = [];
  for (const number of numbers.toSorted((a, b) => a - b)) {
    const span = spanned.at(-1);
    if (span && number <= span[1] + 1) span[1] = number;
    else spanned.push([number, number]);
  }
  return spanned.map(([first, last]) => (first === last ? String(first) : `${first}–${last}`)).join(', ');
}
