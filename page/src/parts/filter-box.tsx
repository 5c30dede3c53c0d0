import type { ComponentChildren } from 'preact';
import { changeQuery, queryValue } from '../router/index.ts';

/** Whether a text in lower case has every word of a query. */
export function fitsQuery(query: string): (text: string) => boolean {
  const words = query.toLowerCase().split(/\s+/).filter(Boolean);
  return (text) => words.every((word) => text.includes(word));
}

/** The filter by words above a list, which is part of the link; `status` says how many of how many are shown. */
export function FilterBox({
  label,
  status,
  children,
}: {
  readonly label: string;
  readonly status: string;
  readonly children?: ComponentChildren;
}) {
  return (
    <div class="tools">
      <input
        type="search"
        aria-label={label}
        placeholder={label}
        value={queryValue('q')}
        onInput={(event) => changeQuery({ q: event.currentTarget.value })}
      />
      {children}
      <span class="quiet" role="status">
        {status}
      </span>
    </div>
  );
}
