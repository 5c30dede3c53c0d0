import type { ComponentChildren } from 'preact';
import { Message, Unknown } from '../../parts/index.ts';
import { count, decimal } from '../../text/index.ts';
import { aiWords } from './words.ts';

/** What every answer about usage says of itself. */
export function Completeness({
  complete,
  warnings,
}: {
  readonly complete: boolean;
  readonly warnings: readonly string[];
}) {
  if (complete && warnings.length === 0) return null;
  return (
    <div class="notice warning incomplete">
      {!complete && <p>{aiWords().incomplete}</p>}
      {warnings.map((warning) => (
        <p key={warning}>
          <Message>{warning}</Message>
        </p>
      ))}
    </div>
  );
}

export function Figure({ label, children }: { readonly label: string; readonly children: ComponentChildren }) {
  return (
    <div class="figure">
      <strong>{children}</strong>
      <span>{label}</span>
    </div>
  );
}

/** US dollars; what has no price is not free. */
export function Cost({ value }: { readonly value: number | null }) {
  return value === null ? <Unknown why={aiWords().noPrice} /> : <span>${decimal(value, value < 1 ? 4 : 2)}</span>;
}

export function Millis({ value }: { readonly value: number | null }) {
  const words = aiWords();
  return value === null ? <Unknown why={words.notKnown} /> : <span>{words.millis(count(Math.round(value)))}</span>;
}

/** A plain table that scrolls sideways by itself. */
export function Table({
  label,
  heads,
  children,
}: {
  readonly label: string;
  readonly heads: readonly string[];
  readonly children: ComponentChildren;
}) {
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls has to be reached with the keyboard
    <div class="scrolls" tabIndex={0} role="region" aria-label={label}>
      <table class="edges">
        <thead>
          <tr>
            {heads.map((head) => (
              <th scope="col" key={head}>
                {head}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>{children}</tbody>
      </table>
    </div>
  );
}
