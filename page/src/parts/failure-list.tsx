import type { ComponentChildren } from 'preact';
import { apiUrl, type Failure, type Failures } from '../api/index.ts';
import { now, trafficEvents, useLive } from '../live/index.ts';
import { link } from '../router/index.ts';
import { ago, texts } from '../text/index.ts';
import { ObjectLink } from './object-link.tsx';
import { Loaded, Panel } from './panel.tsx';
import { Message, Name } from './state.tsx';

const words = texts(
  {
    samples: (kept: number, seen: number) => `samples: ${kept} of ${seen}`,
    why: 'why?',
    steps: 'What to do',
    causes: 'Causes',
    none: 'no route',
    millis: (value: number) => `${value} ms`,
    from: 'from',
  },
  {
    samples: (kept, seen) => `Stichproben: ${kept} von ${seen}`,
    why: 'warum?',
    steps: 'Was zu tun ist',
    causes: 'Ursachen',
    none: 'keine Route',
    millis: (value) => `${value} ms`,
    from: 'von',
  },
);

export interface FailureFilter {
  readonly route?: string;
  readonly backend?: string;
  readonly gateway?: string;
  readonly host?: string;
  readonly flag?: string;
  readonly status?: string;
  readonly since?: string;
}

/** The newest failed requests that fit, each with Envoy's flag in words and the way to its test. */
export function FailureList({
  title,
  none,
  filter,
  limit = 10,
  everyMs = 5_000,
  actions,
}: {
  readonly title: string;
  readonly none: string;
  readonly filter: FailureFilter;
  readonly limit?: number;
  /** Milliseconds between two questions. */
  readonly everyMs?: number;
  readonly actions?: ComponentChildren;
}) {
  const failures = useLive<Failures>(apiUrl('/v1/failures', { ...filter, limit }), {
    everyMs,
    on: trafficEvents,
  });
  return (
    <Panel title={title} live={failures} actions={actions}>
      <Loaded live={failures}>
        {({ items, sampled, warnings }) => (
          <>
            {warnings.map((warning) => (
              <p class="quiet" key={warning}>
                <Message>{warning}</Message>
              </p>
            ))}
            {items.length === 0 ? (
              <p class="quiet">{none}</p>
            ) : (
              <ul class="failures">
                {items.map((failure, at) => (
                  // Two may have the same time, and no name of their own.
                  <FailedRequest key={`${failure.at} ${failure.requestId} ${items.length - at}`} failure={failure} />
                ))}
              </ul>
            )}
            {sampled.seen !== null && sampled.seen > items.length && (
              <p class="quiet">{words().samples(sampled.kept, sampled.seen)}</p>
            )}
          </>
        )}
      </Loaded>
    </Panel>
  );
}

function FailedRequest({ failure }: { readonly failure: Failure }) {
  const { at, method, host, path, status, flags, route, backend, endpoint, clientAddress, durationMs } = failure;
  const { explanation, details } = failure;
  const text = words();
  return (
    <li class="failure" data-status={status} data-flags={flags.join(',')}>
      <p>
        <strong>{status === 0 ? '–' : status}</strong> <code>{flags.join(' ')}</code> {method}{' '}
        <Name>
          {host}
          {path}
        </Name>{' '}
        → {route === null ? text.none : <ObjectLink object={route} />}{' '}
        {backend !== null && (
          <span class="quiet">
            <Name>{[backend, endpoint].filter(Boolean).join(' ')}</Name>
          </span>
        )}{' '}
        {clientAddress !== null && (
          <span class="quiet">
            {text.from} <Name>{clientAddress}</Name>
          </span>
        )}{' '}
        <span class="quiet">{text.millis(durationMs)}</span>{' '}
        <a href={link('why', [], { u: `${host}${path}` })}>{text.why}</a>{' '}
        <span class="age">{ago(new Date(at), now.value)}</span>
      </p>
      {explanation !== null && (
        <details>
          <summary>
            <Message>{explanation.summary}</Message>
          </summary>
          <Explained title={text.causes} items={explanation.causes} />
          <Explained title={text.steps} items={explanation.steps} />
          <p class="quiet">
            <code>{details}</code> {failure.transportFailure !== null && <code>{failure.transportFailure}</code>}
          </p>
        </details>
      )}
    </li>
  );
}

function Explained({ title, items }: { readonly title: string; readonly items: readonly string[] }) {
  if (items.length === 0) return null;
  return (
    <>
      <h3>{title}</h3>
      <ul>
        {items.map((item) => (
          <li key={item}>
            <Message>{item}</Message>
          </li>
        ))}
      </ul>
    </>
  );
}
