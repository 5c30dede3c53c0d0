import { type AiPick, type AiTrace, type AiTraces, apiUrl } from '../../api/index.ts';
import { now, useLive } from '../../live/index.ts';
import { Badge, Loaded, Name, Panel, pickWords } from '../../parts/index.ts';
import { ago, count } from '../../text/index.ts';
import { Completeness, Cost, Millis } from './figures.tsx';
import { aiWords } from './words.ts';

const mostShown = 50;

/** Requests to models with what was tried for each. No prompt and no answer is kept. */
export function TracesPanel() {
  const words = aiWords();
  const traces = useLive<AiTraces>(apiUrl('/v1/ai/traces', { limit: mostShown }));
  return (
    <Panel title={words.traces} live={traces}>
      <Loaded live={traces}>
        {(data) => (
          <>
            <Completeness {...data} />
            {data.items.length === 0 && <p class="quiet">{words.noTraces}</p>}
            <ul class="failures">
              {data.items.map((trace) => (
                <Trace key={trace.id} trace={trace} />
              ))}
            </ul>
          </>
        )}
      </Loaded>
    </Panel>
  );
}

function Trace({ trace }: { readonly trace: AiTrace }) {
  const words = aiWords();
  const { status, httpStatus, model, service, attempts, duration, tokens, cost, errorType, timestamp } = trace;
  return (
    <li class="failure trace" data-trace-status={status}>
      <p>
        <Badge state={status === 'ok' ? 'ok' : 'failing'}>{httpStatus}</Badge> <Name>{model}</Name> →{' '}
        <Name>{service ?? '–'}</Name>{' '}
        <span class="quiet">
          <Millis value={duration} /> · {count(tokens)} {words.tokens} · <Cost value={cost} />
        </span>{' '}
        {errorType !== null && <code>{errorType}</code>} <span class="age">{ago(new Date(timestamp), now.value)}</span>
      </p>
      {attempts.length === 1 && attempts[0]?.pick && (
        <p>
          <PickLine pick={attempts[0].pick} />
        </p>
      )}
      {attempts.length > 1 && (
        <details>
          <summary>{words.attempts(attempts.length)}</summary>
          <ol>
            {attempts.map((attempt, at) => (
              // The same service may be tried twice.
              <li key={`${at} ${attempt.service}`}>
                <Name>{attempt.service}</Name> {attempt.status}{' '}
                {attempt.errorType !== null && <code>{attempt.errorType}</code>}
                {attempt.pick !== null && <PickLine pick={attempt.pick} />}
              </li>
            ))}
          </ol>
        </details>
      )}
    </li>
  );
}

/** Which model server of a pool answered, and why that one. */
function PickLine({ pick: { outcome, endpoint, named, pool } }: { readonly pick: AiPick }) {
  const words = aiWords();
  return (
    <span class="quiet" data-pick={outcome}>
      {words.pool} <Name>{pool}</Name>
      {endpoint !== null && (
        <>
          {' '}
          → <Name>{endpoint}</Name>
        </>
      )}
      : {pickWords()[outcome]}
      {outcome === 'replaced' && (
        <>
          {' '}
          (<Name>{named.join(', ')}</Name>)
        </>
      )}
    </span>
  );
}
