import type { GridColumn } from './grid.tsx';
import { Name } from './state.tsx';

interface Named {
  readonly namespace: string;
  readonly name: string;
}

const textOf = ({ namespace, name }: Named): string => `${namespace}/${name}`;

/** The column with which a list of objects begins. */
export const nameColumn = <Row extends Named>({ title, width }: Pick<GridColumn<Row>, 'title' | 'width'>) =>
  ({
    key: 'name',
    title,
    width,
    cell: (row) => <Name>{textOf(row)}</Name>,
    compare: (a, b) => textOf(a).localeCompare(textOf(b)),
  }) satisfies GridColumn<Row>;
