import type { Problem, Problems } from '../../api/index.ts';
import { type Live, now } from '../../live/index.ts';
import { Badge, Loaded, ObjectLink, Panel } from '../../parts/index.ts';
import { link } from '../../router/index.ts';
import { Sentence } from '../../sentence/index.ts';
import { ago } from '../../text/index.ts';
import { overviewWords } from './words.ts';

/** What is wrong, ordered by the control plane: what hurts now comes first. */
export function ProblemList({ problems }: { readonly problems: Live<Problems> }) {
  const words = overviewWords();
  return (
    <Panel title={words.problems} live={problems}>
      <Loaded live={problems}>
        {({ items, total }) => (
          <>
            <ul class="problems">
              {items.map((problem) => (
                <ProblemItem key={problem.id} problem={problem} />
              ))}
            </ul>
            {total > items.length && <p class="quiet">{words.moreProblems(total - items.length)}</p>}
          </>
        )}
      </Loaded>
    </Panel>
  );
}

function ProblemItem({ problem }: { readonly problem: Problem }) {
  const { severity, object, message, cause, next, since, count, code } = problem;
  const words = overviewWords();
  return (
    <li class={`problem ${severity}`} data-code={code}>
      <p class="what">
        <Badge state={severity}>
          <ObjectLink object={object} />
        </Badge>
        {count > 1 && <span class="quiet"> {words.more(count - 1)}</span>}
        {since !== null && <span class="age">{ago(new Date(since), now.value)}</span>}
      </p>
      <p>
        <Sentence text={message} />
      </p>
      {cause !== '' && (
        <p class="quiet">
          <Sentence text={cause} />
        </p>
      )}
      <p>
        <strong>{words.next}:</strong> <Sentence text={next} />{' '}
        <a href={link('docs', ['problems.md'], { at: code })}>
          <code>{code}</code>
        </a>
      </p>
    </li>
  );
}
