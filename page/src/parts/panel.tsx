import type { ComponentChildren } from 'preact';
import type { Live } from '../live/index.ts';
import { now } from '../live/index.ts';
import { ago, texts } from '../text/index.ts';
import { Message } from './state.tsx';

const words = texts(
  {
    loading: 'Loading …',
    asOf: (when: string) => `read ${when}`,
    failed: 'This could not be read:',
    again: 'Try again',
  },
  {
    loading: 'Wird geladen …',
    asOf: (when) => `gelesen ${when}`,
    failed: 'Das konnte nicht gelesen werden:',
    again: 'Noch einmal versuchen',
  },
);

/** A part of a page with a title. `live` adds how old its data are; `Loaded` inside says what is wrong with them. */
export function Panel<T>({
  title,
  live,
  children,
  actions,
}: {
  readonly title: string;
  readonly live?: Live<T>;
  readonly children: ComponentChildren;
  readonly actions?: ComponentChildren;
}) {
  return (
    <section class="panel" aria-label={title}>
      <header>
        <h2>{title}</h2>
        {actions}
        {live && <Age at={live.at} />}
      </header>
      {children}
    </section>
  );
}

/** How old data are. They may be newer than the clock of the page, which goes on once a second. */
export function Age({ at }: { readonly at: Date | undefined }) {
  return <span class="age">{at && words().asOf(ago(at, now.value < at ? at : now.value))}</span>;
}

/** Shows what `live` has, and why there is nothing newer. */
export function Loaded<T>({
  live,
  children,
}: {
  readonly live: Live<T>;
  readonly children: (data: T) => ComponentChildren;
}) {
  if (live.data === undefined && live.error === undefined) return <p class="quiet">{words().loading}</p>;
  return (
    <>
      {live.error && <Failed live={live} />}
      {live.data !== undefined && children(live.data)}
    </>
  );
}

function Failed<T>({ live }: { readonly live: Live<T> }) {
  return (
    <p class="notice failing" role="alert">
      {words().failed} <Message>{live.error?.message}</Message>{' '}
      <button type="button" onClick={() => live.refresh()}>
        {words().again}
      </button>
    </p>
  );
}
