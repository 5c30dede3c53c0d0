import type { ComponentChildren } from 'preact';
import { changeQuery, queryValue } from '../router/index.ts';
import { FilterBox, fitsQuery } from './filter-box.tsx';
import { Grid, type GridColumn, sorted } from './grid.tsx';

export interface FilteredProps<Row> {
  readonly label: string;
  /** Says what the filter looks at. */
  readonly filter: string;
  readonly rows: readonly Row[];
  readonly columns: readonly GridColumn<Row>[];
  readonly keyOf: (row: Row) => string;
  readonly hrefOf?: (row: Row) => string;
  /** In lower case, what the filter looks at. */
  readonly textOf: (row: Row) => string;
  /** How many of how many are shown. */
  readonly shown: (count: number, all: number) => string;
  /** Shown when there is nothing at all, or nothing that fits. */
  readonly empty: ComponentChildren;
  readonly none: string;
  /** The order without a choice of the user. */
  readonly sort?: string;
}

/** A table with a filter by words; filter and order are part of the link. */
export function Filtered<Row>(props: FilteredProps<Row>) {
  const { label, filter, rows, columns, keyOf, hrefOf, textOf, shown, empty, none } = props;
  const sort = queryValue('sort') || (props.sort ?? '');
  const fits = fitsQuery(queryValue('q'));
  const fitting = sorted(
    rows.filter((row) => fits(textOf(row))),
    columns,
    sort,
  );
  return (
    <>
      <FilterBox label={filter} status={shown(fitting.length, rows.length)} />
      <Grid
        label={label}
        rows={fitting}
        columns={columns}
        keyOf={keyOf}
        {...(hrefOf && { hrefOf })}
        sort={sort}
        onSort={(next) => changeQuery({ sort: next })}
        empty={rows.length === 0 ? empty : none}
      />
    </>
  );
}
