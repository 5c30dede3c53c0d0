import { useSignal } from '@preact/signals';
import { diffLines } from 'diff';
import type { ComponentChildren } from 'preact';

/** Two sides of something; null or an empty object where there is nothing. */
export interface Sides {
  readonly before: unknown;
  readonly after: unknown;
}

/** Lines that go and come, with a sign before each. */
function LineDifference({ before, after }: Sides) {
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: it scrolls, and the keyboard has to reach it
    <pre class="lines" tabIndex={0}>
      {linePieces(linesOf(before), linesOf(after)).map(({ value, added, removed }, at) => {
        const sign = added ? '+ ' : removed ? '- ' : '  ';
        const lines = value.replace(/\n$/, '').replaceAll(/^/gm, sign);
        const Tag = added ? 'ins' : removed ? 'del' : 'span';
        return <Tag key={at}>{`${lines}\n`}</Tag>;
      })}
    </pre>
  );
}

interface Piece {
  readonly value: string;
  readonly added?: boolean;
  readonly removed?: boolean;
}

/** More changed lines take seconds to compare, and nobody reads them one by one. */
const mostEdits = 2_000;

const linePieces = (before: string, after: string): readonly Piece[] =>
  diffLines(before, after, { maxEditLength: mostEdits }) ?? [
    { value: before, removed: true },
    { value: after, added: true },
  ];

/** Two sides below a summary, and links, which a summary may not have. The sides are compared when they are first shown. */
export function FoldedDifference({
  isOpen: isOpenAtFirst = false,
  children,
  links,
  ...sides
}: Sides & { readonly isOpen?: boolean; readonly children: ComponentChildren; readonly links?: ComponentChildren }) {
  const isOpen = useSignal(isOpenAtFirst);
  return (
    <details
      open={isOpen.value}
      onToggle={(event) => {
        isOpen.value = event.currentTarget.open;
      }}
    >
      <summary>{children}</summary>
      {isOpen.value && links}
      {isOpen.value && <LineDifference {...sides} />}
    </details>
  );
}

const isNothing = (value: unknown): boolean =>
  value === null || value === undefined || (typeof value === 'object' && Object.keys(value).length === 0);
function linesOf(value: unknown): string {
  if (isNothing(value)) return '';
  return typeof value === 'string' ? value : `${JSON.stringify(value, null, 2)}\n`;
}
