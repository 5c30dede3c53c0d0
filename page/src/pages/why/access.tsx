import { accessWords, PolicyName } from '../../access/index.ts';
import type { JudgedAccess, JudgedPart } from '../../api/index.ts';
import { Badge, Message, Panel, type State } from '../../parts/index.ts';
import { whyWords } from './words.ts';

const states: Readonly<Record<JudgedPart['verdict'], State>> = {
  passes: 'ok',
  denies: 'failing',
  asks: 'warning',
  unknown: 'unknown',
  overridden: 'unknown',
};

/** What policies of access do with the request, part by part, in the order in which it meets them. */
export function AccessPanel({ access }: { readonly access: JudgedAccess }) {
  const words = whyWords();
  const { verdict, status, parts } = access;
  return (
    <Panel title={words.access}>
      {parts.length === 0 ? (
        <p class="quiet">{words.noPolicy}</p>
      ) : (
        <>
          <p class="access" data-verdict={verdict}>
            <Badge state={states[verdict]}>
              {words[`${verdict}All`]} {status}
            </Badge>
          </p>
          <ol class="access-parts">
            {parts.map((each) => (
              <Part key={`${each.level} ${each.part}`} judged={each} />
            ))}
          </ol>
        </>
      )}
    </Panel>
  );
}

function Part({ judged }: { readonly judged: JudgedPart }) {
  const words = accessWords();
  const { part, level, policy, verdict, status, reason, reached } = judged;
  return (
    <li data-part={part} data-verdict={verdict}>
      <Badge state={reached ? states[verdict] : 'unknown'}>
        {reached ? words[verdict] : whyWords().notReached} {reached && status}
      </Badge>{' '}
      <code>{part}</code>{' '}
      <span class="quiet">
        ({words[part]}) {words[level]}
      </span>{' '}
      {policy !== null && <PolicyName policy={policy} />}
      {reason !== '' && (
        <>
          : <Message>{reason}</Message>
        </>
      )}
    </li>
  );
}
