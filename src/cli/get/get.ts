import { worstOf } from '../../gateway-api/index.ts';
import { CliError } from '../kit/cli-error.ts';
import { age, type Column, table } from '../kit/table.ts';
import type { Wire } from '../kit/wire.ts';

/** One kind of thing that can be listed: where it is, and how a line of it reads. */
export interface Listable<T> {
  readonly path: string;
  readonly columns: (now: Date) => readonly Column<T>[];
}

const listable = <T>(path: string, columns: (now: Date) => readonly Column<T>[]): Listable<unknown> =>
  ({ path, columns }) as Listable<unknown>;

const yesNo = (flag: boolean): string => (flag ? 'yes' : 'no');
const column = <T>(heading: string, cell: (row: T) => string): Column<T> => ({ heading, cell });

/** The message of the worst condition. */
const worst = (conditions: Wire['listener']['conditions']): string => worstOf(conditions)?.condition.message ?? '';

const listables = {
  gateways: listable<Wire['gateway']>('/v1/gateways', () => [
    column('namespace', ({ namespace }) => namespace),
    column('name', ({ name }) => name),
    column('class', ({ gatewayClass }) => gatewayClass),
    column('address', ({ addresses }) => addresses.map(({ value }) => value).join(',')),
    column('listeners', ({ listeners }) => listeners.map(({ protocol, port }) => `${protocol}/${port}`).join(',')),
    column('programmed', ({ conditions }) => conditions.find(({ type }) => type === 'Programmed')?.status ?? ''),
    column('data planes', ({ clients }) => String(clients.length)),
    column('message', ({ conditions }) => worst(conditions)),
  ]),
  listeners: listable<Wire['listener']>('/v1/listeners', () => [
    column('name', ({ name }) => name),
    column('protocol', ({ protocol }) => protocol),
    column('port', ({ port }) => String(port)),
    column('hostname', ({ hostname }) => hostname ?? '*'),
    column('routes', ({ attachedRoutes }) => String(attachedRoutes)),
    column('programmed', ({ programmed }) => yesNo(programmed)),
    column('message', ({ conditions }) => worst(conditions)),
  ]),
  routes: listable<Wire['route']>('/v1/routes', (now) => [
    column('kind', ({ kind }) => kind),
    column('namespace', ({ namespace }) => namespace),
    column('name', ({ name }) => name),
    column('hostnames', ({ hostnames }) => hostnames.join(',')),
    column('accepted', ({ accepted }) => yesNo(accepted)),
    column('resolved', ({ resolvedRefs }) => yesNo(resolvedRefs)),
    column('age', ({ createdAt }) => age(createdAt, now)),
    column('message', ({ parents }) => worst(parents.flatMap(({ conditions }) => conditions))),
  ]),
  backends: listable<Wire['backend']>('/v1/backends', () => [
    column('namespace', ({ namespace }) => namespace),
    column('name', ({ name }) => name),
    column('protocol', ({ protocol, tls }) => (tls ? `${protocol}+tls` : protocol)),
    column('healthy', ({ endpoints }) => `${endpoints.filter(({ healthy }) => healthy).length}/${endpoints.length}`),
    column('routes', ({ referencedBy }) => String(referencedBy.length)),
    column('message', ({ problem }) => problem ?? ''),
  ]),
  certificates: listable<Wire['certificate']>('/v1/certificates', () => [
    column('namespace', ({ namespace }) => namespace),
    column('name', ({ name }) => name),
    column('state', ({ state }) => state),
    column('days left', ({ daysLeft }) => (daysLeft === null ? '' : String(daysLeft))),
    column('names', ({ sans }) => sans?.join(',') ?? ''),
    column('used by', ({ usedBy }) => usedBy.map(({ kind, name }) => `${kind} ${name}`).join(', ')),
  ]),
  services: listable<Wire['service']>('/v1/service-catalog', () => [
    column('namespace', ({ namespace }) => namespace),
    column('name', ({ name }) => name),
    column('type', ({ type }) => type),
    column('ports', ({ ports }) => ports.map(({ port, protocol }) => `${port}/${protocol}`).join(',')),
    column('ready', ({ endpoints }) => `${endpoints.ready}/${endpoints.total}`),
    column('routes', ({ referencedBy }) => String(referencedBy.length)),
  ]),
} as const;

/** Names that `get` knows, in the plural. */
const listableNames = Object.keys(listables);

/** How a kind of thing is listed; the singular and any case will do. Throws a CliError that lists the names. */
export function findListable(name: string): Listable<unknown> {
  const wanted = name.toLowerCase();
  const found = Object.entries(listables).find(([plural]) => plural === wanted || plural === `${wanted}s`);
  if (!found) throw new CliError(`${JSON.stringify(name)} cannot be listed; ${listableNames.join(', ')} can`);
  return found[1];
}

export const listTable = ({ columns }: Listable<unknown>, rows: readonly unknown[], now: Date): string =>
  rows.length === 0 ? 'nothing found' : table(rows, columns(now));
