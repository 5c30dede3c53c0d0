import { useSignal } from '@preact/signals';
import {
  elementScroll,
  observeElementOffset,
  observeElementRect,
  Virtualizer,
  type VirtualizerOptions,
} from '@tanstack/virtual-core';
import type { ComponentChildren } from 'preact';
import { useEffect, useLayoutEffect, useRef } from 'preact/hooks';

export interface GridColumn<Row> {
  readonly key: string;
  readonly title: string;
  /** A share of the width, as CSS grid has it: `2fr`, `8rem`. */
  readonly width: string;
  /** Numbers stand at the right. */
  readonly isNumber?: boolean;
  readonly cell: (row: Row) => ComponentChildren;
  /** Where users may sort by it: the order of two rows. */
  readonly compare?: (a: Row, b: Row) => number;
}

export interface GridProps<Row> {
  readonly label: string;
  readonly rows: readonly Row[];
  readonly columns: readonly GridColumn<Row>[];
  readonly keyOf: (row: Row) => string;
  /** Where a row leads to. */
  readonly hrefOf?: (row: Row) => string;
  /** The key of the column that sorts, with `-` before it for the other direction. */
  readonly sort?: string;
  readonly onSort?: (sort: string) => void;
  /** Shown when there is no row. */
  readonly empty: ComponentChildren;
}

const rowHeight = 36;
const cardHeight = 128;
const narrow = window.matchMedia('(max-width: 719px)');

/** A table of any length: only the rows in view are in the document. On a narrow screen its rows are cards. */
export function Grid<Row>(props: GridProps<Row>) {
  const { label, rows, columns, keyOf, empty } = props;
  const scroller = useRef<HTMLDivElement>(null);
  const focused = useSignal(-1);
  const { items, total, reveal } = useVirtual(scroller, rows.length);
  if (rows.length === 0) return <div class="empty">{empty}</div>;
  const template = columns.map(({ width }) => width).join(' ');
  return (
    <div
      class="grid"
      role="table"
      aria-label={label}
      aria-rowcount={rows.length + 1}
      onKeyDown={(event) => moveBy(event, props, focused, reveal)}
    >
      <div class="heads" role="row" style={{ gridTemplateColumns: template }}>
        {columns.map((column) => (
          <Head key={column.key} column={column} {...props} />
        ))}
      </div>
      <div class="scroller" ref={scroller} role="rowgroup">
        <div class="all" role="presentation" style={{ height: `${total}px` }}>
          {items.map(({ index, start }) => {
            const row = rows[index];
            if (row === undefined) return null;
            return (
              <div
                key={keyOf(row)}
                class="row"
                role="row"
                aria-rowindex={index + 2}
                data-index={index}
                style={{ transform: `translateY(${start}px)`, gridTemplateColumns: template }}
              >
                {columns.map((column, at) => (
                  <Cell key={column.key} column={column} row={row} href={at === 0 ? props.hrefOf?.(row) : undefined} />
                ))}
              </div>
            );
          })}
        </div>
      </div>
    </div>
  );
}

function Head<Row>({ column, sort, onSort }: { readonly column: GridColumn<Row> } & GridProps<Row>) {
  const { key, title, isNumber, compare } = column;
  const direction = sort === key ? 'ascending' : sort === `-${key}` ? 'descending' : undefined;
  const className = isNumber ? 'number' : undefined;
  if (compare === undefined || onSort === undefined)
    return (
      <div role="columnheader" class={className}>
        {title}
      </div>
    );
  return (
    <div role="columnheader" class={className} aria-sort={direction ?? 'none'}>
      <button type="button" onClick={() => onSort(direction === 'ascending' ? `-${key}` : key)}>
        {title}
        <span aria-hidden="true">{direction === 'ascending' ? ' ▲' : direction === 'descending' ? ' ▼' : ''}</span>
      </button>
    </div>
  );
}

function Cell<Row>({
  column: { title, isNumber, cell },
  row,
  href,
}: {
  readonly column: GridColumn<Row>;
  readonly row: Row;
  readonly href: string | undefined;
}) {
  return (
    <div role="cell" class={isNumber ? 'number' : undefined} data-title={title}>
      {href === undefined ? cell(row) : <a href={href}>{cell(row)}</a>}
    </div>
  );
}

/** `j` and `k` go from row to row. */
function moveBy<Row>(
  event: KeyboardEvent,
  { rows }: GridProps<Row>,
  focused: { value: number },
  reveal: (index: number) => void,
): void {
  const step =
    event.key === 'j' || event.key === 'ArrowDown' ? 1 : event.key === 'k' || event.key === 'ArrowUp' ? -1 : 0;
  if (step === 0 || event.ctrlKey || event.metaKey || event.altKey) return;
  const grid = event.currentTarget as HTMLElement;
  const present = document.activeElement?.closest<HTMLElement>('.row')?.dataset.index;
  const next = Math.max(0, Math.min(rows.length - 1, (present === undefined ? -1 : Number(present)) + step));
  event.preventDefault();
  focused.value = next;
  reveal(next);
  requestAnimationFrame(() => grid.querySelector<HTMLElement>(`[data-index="${next}"] a`)?.focus());
}

function useVirtual(scroller: { readonly current: HTMLDivElement | null }, size: number) {
  const version = useSignal(0);
  const virtualizer = useRef<Virtualizer<HTMLDivElement, HTMLDivElement>>(undefined);
  const options: VirtualizerOptions<HTMLDivElement, HTMLDivElement> = {
    count: size,
    getScrollElement: () => scroller.current,
    estimateSize: () => (narrow.matches ? cardHeight : rowHeight),
    overscan: 6,
    scrollToFn: elementScroll,
    observeElementRect,
    observeElementOffset,
    onChange: () => {
      version.value += 1;
    },
  };
  virtualizer.current ??= new Virtualizer(options);
  const current = virtualizer.current;
  current.setOptions(options);
  useLayoutEffect(() => current._willUpdate());
  useEffect(() => {
    const measure = (): void => current.measure();
    narrow.addEventListener('change', measure);
    const unmount = current._didMount();
    return () => {
      narrow.removeEventListener('change', measure);
      unmount();
    };
  }, []);
  void version.value;
  return {
    items: current.getVirtualItems(),
    total: current.getTotalSize(),
    reveal: (index: number) => current.scrollToIndex(index),
  };
}

/** Rows in the order that `sort` names; as they are when it names none. */
export function sorted<Row>(rows: readonly Row[], columns: readonly GridColumn<Row>[], sort: string): readonly Row[] {
  const column = columns.find(({ key }) => key === sort || `-${key}` === sort);
  if (column?.compare === undefined) return rows;
  const { compare } = column;
  return rows.toSorted(sort.startsWith('-') ? (a, b) => compare(b, a) : compare);
}
