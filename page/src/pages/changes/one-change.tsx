import { now } from '../../live/index.ts';
import { Badge, Message, Name, ObjectLink, type State } from '../../parts/index.ts';
import { link } from '../../router/index.ts';
import { ago, count, decimal, timeOfDay } from '../../text/index.ts';
import type { Change, Coming, ProblemChange, Rejection } from './group.ts';
import { changeWords } from './words.ts';

/** Characters of a snapshot's id that tell it from others. */
const idLength = 12;
/** Lines of one sort in one change. */
const mostLines = 20;

export function OneChange({ change }: { readonly change: Change }) {
  const words = changeWords();
  const { snapshot, at, changed, changedCount, isFirst, isSame, rejections, problems, comings } = change;
  return (
    <li class="change" data-snapshot={snapshot}>
      <p class="what">
        <time dateTime={at.toISOString()} title={at.toISOString()}>
          {timeOfDay(at)}
        </time>
        {snapshot !== undefined && <code title={snapshot}>{snapshot.slice(0, idLength)}</code>}
        {changed.map((object) => (
          <ObjectLink key={`${object.kind}/${object.namespace}/${object.name}`} object={object} />
        ))}
        {changedCount > changed.length && <span class="quiet">{words.more(changedCount - changed.length)}</span>}
        {changed.length === 0 && (
          <span>{snapshot === undefined ? words.before : isFirst ? words.start : words.noObject}</span>
        )}
        <span class="age">{ago(at, now.value)}</span>
      </p>
      <p class="quiet">
        <Taken change={change} />{' '}
        {snapshot !== undefined && !isFirst && !isSame && (
          <a href={link('changes', [], { to: snapshot })}>{words.what}</a>
        )}
      </p>
      <ul class="lines">
        {rejections.slice(0, mostLines).map((rejection) => (
          <Refused key={`${rejection.nodeId} ${rejection.message}`} rejection={rejection} />
        ))}
        {problems.slice(0, mostLines).map((problem) => (
          <ProblemLine key={`${problem.action} ${problem.code} ${problem.name}`} problem={problem} />
        ))}
        {comings.slice(0, mostLines).map((coming) => (
          <ComingLine key={`${coming.at.getTime()} ${coming.nodeId} ${coming.action}`} coming={coming} />
        ))}
      </ul>
    </li>
  );
}

function Taken({ change: { snapshot, isSame, applied } }: { readonly change: Change }) {
  const words = changeWords();
  if (snapshot === undefined) return null;
  if (isSame) return <span>{words.conditions}</span>;
  if (applied === undefined) return <span>{words.pending}</span>;
  const { proxies, ms } = applied;
  const time = ms < 1_000 ? words.millis(count(ms)) : words.seconds(decimal(ms / 1_000));
  return <span class="taken">{words.applied(proxies, time)}</span>;
}

const ProxyLink = ({ nodeId }: { readonly nodeId: string }) => (
  <a href={link('proxies', [nodeId])}>
    {changeWords().proxy} <Name>{nodeId}</Name>
  </a>
);

function Refused({ rejection: { nodeId, message, times, since } }: { readonly rejection: Rejection }) {
  const words = changeWords();
  return (
    <li class="refused">
      <Badge state="failing">
        <ProxyLink nodeId={nodeId} /> {words.refuses} <Message>{message}</Message>
      </Badge>{' '}
      {times > 1 && <span class="quiet">{words.times(count(times), timeOfDay(since))}</span>}
    </li>
  );
}

const severities: Readonly<Record<string, State>> = { error: 'failing', failing: 'failing', warning: 'warning' };

function ProblemLine({ problem }: { readonly problem: ProblemChange }) {
  const words = changeWords();
  const { action, severity, message } = problem;
  return (
    <li>
      <Badge state={action === 'ended' ? 'ok' : (severities[severity] ?? 'warning')}>
        {action === 'ended' ? words.ended : words.raised} <ObjectLink object={problem} /> <Message>{message}</Message>
      </Badge>
    </li>
  );
}

function ComingLine({ coming: { at, nodeId, action, reason } }: { readonly coming: Coming }) {
  const words = changeWords();
  const said = action === 'connected' ? words.connected : action === 'forgotten' ? words.forgotten : words.disconnected;
  return (
    <li class="quiet">
      {timeOfDay(at)} <ProxyLink nodeId={nodeId} /> {said} {reason !== '' && <Message>{reason}</Message>}
    </li>
  );
}
