import * as ir from '../../ir/index.ts';
import { shownRoute } from '../snapshot/shown-route.ts';
import { shownBackend, shownListener } from '../snapshot/snapshot-record.ts';
import type { IrDifference } from './record.ts';

/** Of routes those that differ, whatever number of others their host has. Gateways and tables are identified by their content. */
export function irDifferences(change: ir.Change): IrDifference[] {
  const { gateway } = change;
  const sides = <T>(shown: (side: T) => unknown, before: T | undefined, after: T | undefined) => ({
    before: before === undefined ? null : shown(before),
    after: after === undefined ? null : shown(after),
  });
  switch (change.kind) {
    case 'gateway':
      return [];
    case 'table':
      return accessDifferences(change);
    case 'virtualHost':
      return routeDifferences(change);
    case 'stream':
      return [
        {
          gateway,
          kind: 'stream',
          name: `${change.table} ${change.host}`,
          ...sides((side) => side, change.before, change.after),
        },
      ];
    case 'listener':
      return [{ gateway, kind: 'listener', name: change.key, ...sides(shownListener, change.before, change.after) }];
    case 'backend':
      return [{ gateway, kind: 'backend', name: change.key, ...sides(shownBackend, change.before, change.after) }];
    case 'endpoints':
      return [
        {
          gateway,
          kind: 'endpoints',
          name: change.key,
          ...sides((side) => side.endpoints, change.before, change.after),
        },
      ];
    case 'secret':
      return [{ gateway, kind: 'secret', name: change.key, ...sides(() => ({}), change.before, change.after) }];
  }
}

/** Of a table what all of its requests must show; the rest is listed by host. */
function accessDifferences({ gateway, table, before, after }: Extract<ir.Change, { kind: 'table' }>): IrDifference[] {
  const [was, is] = [before?.access, after?.access];
  const digest = (access: ir.TableGuards | undefined) => access && ir.digestOf(access);
  if (digest(was) === digest(is)) return [];
  return [{ gateway, kind: 'access', name: table, before: was ?? null, after: is ?? null }];
}

function routeDifferences({
  gateway,
  table,
  host,
  before,
  after,
}: Extract<ir.Change, { kind: 'virtualHost' }>): IrDifference[] {
  const place = { gateway, kind: 'route' as const, name: `${table} ${host}` };
  const [was, is] = [before?.routes ?? [], after?.routes ?? []];
  return [
    ...missingIn(is, was).map((route) => ({ ...place, before: shownRoute(route), after: null })),
    ...missingIn(was, is).map((route) => ({ ...place, before: null, after: shownRoute(route) })),
  ];
}

function missingIn(these: readonly ir.Route[], those: readonly ir.Route[]): ir.Route[] {
  const known = new Set(these.map((route) => ir.digestOf(route)));
  return those.filter((route) => !known.has(ir.digestOf(route)));
}
