import { worstOf } from '../../gateway-api/index.ts';
import { didYouMean } from '../../std/index.ts';
import { CliError } from '../kit/cli-error.ts';
import type { ListShape } from '../kit/list.ts';
import { age, type Column, firstOf } from '../kit/table.ts';
import type { Wire } from '../kit/wire.ts';

/** One kind of thing that can be listed: where it is, and how a line of it reads. */
export interface Listable<T> {
  readonly path: string;
  readonly columns: (now: Date) => readonly Column<T>[];
  /** `gateway`; of a row that says its own kind, that. */
  readonly singular: string;
}

const listable = <T>(singular: string, path: string, columns: (now: Date) => readonly Column<T>[]): Listable<unknown> =>
  ({ singular, path, columns }) as Listable<unknown>;

const yesNo = (flag: boolean): string => (flag ? 'yes' : 'no');
const column = <T>(heading: string, cell: (row: T) => string): Column<T> => ({ heading, cell });
const wide = <T>(heading: string, cell: (row: T) => string): Column<T> => ({ heading, cell, isWide: true });
/** Several values, of which a table of 80 characters has room for the first. */
const several = <T>(heading: string, values: (row: T) => readonly string[]): Column<T> => ({
  heading,
  cell: (row) => firstOf(values(row)),
  wideCell: (row) => values(row).join(','),
});

/** The message of the worst condition. */
const worst = (conditions: Wire['listener']['conditions']): string => worstOf(conditions)?.condition.message ?? '';

const listables = {
  gateways: listable<Wire['gateway']>('gateway', '/v1/gateways', () => [
    column('namespace', ({ namespace }) => namespace),
    column('name', ({ name }) => name),
    wide('class', ({ gatewayClass }) => gatewayClass),
    several('address', ({ addresses }) => addresses.map(({ value }) => value)),
    several('listeners', ({ listeners }) => listeners.map(({ protocol, port }) => `${protocol}/${port}`)),
    column('programmed', ({ conditions }) => conditions.find(({ type }) => type === 'Programmed')?.status ?? ''),
    wide('data planes', ({ clients }) => String(clients.length)),
    column('message', ({ conditions }) => worst(conditions)),
  ]),
  listeners: listable<Wire['listener']>('listener', '/v1/listeners', () => [
    column('name', ({ name }) => name),
    column('protocol', ({ protocol }) => protocol),
    column('port', ({ port }) => String(port)),
    column('hostname', ({ hostname }) => hostname ?? '*'),
    column('routes', ({ attachedRoutes }) => String(attachedRoutes)),
    column('programmed', ({ programmed }) => yesNo(programmed)),
    column('message', ({ conditions }) => worst(conditions)),
  ]),
  routes: listable<Wire['route']>('route', '/v1/routes', (now) => [
    column('kind', ({ kind }) => kind),
    column('namespace', ({ namespace }) => namespace),
    column('name', ({ name }) => name),
    several('hostnames', ({ hostnames }) => hostnames),
    column('accepted', ({ accepted }) => yesNo(accepted)),
    column('resolved', ({ resolvedRefs }) => yesNo(resolvedRefs)),
    wide('age', ({ createdAt }) => age(createdAt, now)),
    column('message', ({ parents }) => worst(parents.flatMap(({ conditions }) => conditions))),
  ]),
  backends: listable<Wire['backend']>('backend', '/v1/backends', () => [
    column('namespace', ({ namespace }) => namespace),
    column('name', ({ name }) => name),
    column('protocol', ({ protocol, tls }) => (tls ? `${protocol}+tls` : protocol)),
    column('healthy', ({ endpoints }) => `${endpoints.filter(({ healthy }) => healthy).length}/${endpoints.length}`),
    column('routes', ({ referencedBy }) => String(referencedBy.length)),
    column('message', ({ problem }) => problem ?? ''),
  ]),
  certificates: listable<Wire['certificate']>('certificate', '/v1/certificates', () => [
    column('namespace', ({ namespace }) => namespace),
    column('name', ({ name }) => name),
    column('state', ({ state }) => state),
    column('days left', ({ daysLeft }) => (daysLeft === null ? '' : String(daysLeft))),
    several('names', ({ sans }) => sans ?? []),
    several('used by', ({ usedBy }) => usedBy.map(({ kind, name }) => `${kind} ${name}`)),
  ]),
  services: listable<Wire['service']>('service', '/v1/service-catalog', () => [
    column('namespace', ({ namespace }) => namespace),
    column('name', ({ name }) => name),
    column('type', ({ type }) => type),
    several('ports', ({ ports }) => ports.map(({ port, protocol }) => `${port}/${protocol}`)),
    column('ready', ({ endpoints }) => `${endpoints.ready}/${endpoints.total}`),
    column('routes', ({ referencedBy }) => String(referencedBy.length)),
  ]),
} as const;

/** Names that `get` knows, in the plural. */
const listableNames = Object.keys(listables);

/** How a kind of thing is listed; the singular and any case will do. Throws a CliError that lists the names. */
export function findListable(name: string): Listable<unknown> {
  const wanted = name.toLowerCase();
  const found = Object.entries(listables).find(
    ([plural]) => plural === wanted || plural === `${wanted}s` || (plural === 'routes' && isRouteKind(wanted)),
  );
  if (!found) throw new CliError(`${JSON.stringify(name)} cannot be listed; ${listableNames.join(', ')} can`);
  return found[1];
}

const isRouteKind = (word: string): boolean => /^[a-z]+routes?$/.test(word);

interface Named {
  readonly kind?: string;
  readonly name: string;
}

const nameOf = ({ singular }: Listable<unknown>, { kind = singular, name }: Named): string =>
  `${kind.toLowerCase()}/${name}`;

/** How rows of a kind are listed. */
export const listShape = (what: Listable<unknown>, now: Date): ListShape<unknown> => ({
  columns: what.columns(now),
  nameOf: (row) => nameOf(what, row as Named),
  empty: 'nothing found',
});

/** The rows with a name. Throws a CliError that has the nearest name when there are rows, and none with this one. */
export function rowsNamed(what: Listable<unknown>, rows: readonly unknown[], wanted: string): readonly unknown[] {
  const found = (rows as readonly Named[]).filter(({ name }) => name === wanted);
  if (found.length > 0) return found;
  const names = (rows as readonly Named[]).map(({ name }) => name);
  throw new CliError(`no ${what.singular} is named ${JSON.stringify(wanted)}${didYouMean(wanted, names)}`);
}
