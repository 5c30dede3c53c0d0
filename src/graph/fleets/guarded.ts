import { anyHost } from '../../gateway-api/index.ts';
import * as ir from '../../ir/index.ts';
import type { Guard, ResolvedListener, StreamShape, TableShape } from '../model/index.ts';
import { sameOnPort } from './same-on-port.ts';

/** What policies demand at a listener. */
export type GuardOf = (listener: ResolvedListener) => Guard | undefined;

/** A table with what its listeners demand. In a table without listeners hosts are found that none of them serves. */
export function guarded(guardOf: GuardOf): (shape: TableShape) => TableShape {
  const levels = ir.tableLevels.map((level) => demandsAt(level, guardOf));
  return (shape) => {
    const demands = levels.flatMap((of) => of(shape));
    if (demands.length === 0) return shape;
    const isPartial = demands.some(({ hostnames }) => hostnames);
    return { ...shape, access: { demands, ...(isPartial && { hostnames: hostnamesOf(shape) }) } };
  };
}

/** What hosts are compared with, where listeners of a table differ. */
export function hostnamesOf({ own, owners }: TableShape): readonly string[] {
  if (own.some(({ protocol }) => protocol !== 'HTTPS')) return [...owners.keys()].sort();
  return [...own.map(({ hostname }) => hostname), ir.misdirectedHosts].sort();
}

export function guardedStream(shape: StreamShape, guardOf: GuardOf): StreamShape {
  const levels = guardOf(shape.own)?.levels;
  return levels ? { ...shape, levels } : shape;
}

/** In the order of the first listener of each, which is that of their precedence. */
function demandsAt(level: ir.TableLevel, guardOf: GuardOf): (shape: TableShape) => readonly ir.TableAccess[] {
  const digestAt = (listener: ResolvedListener) => {
    const access = accessAt(level, guardOf(listener));
    return access && ir.digestOf(access);
  };
  const everywhere = sameOnPort(digestAt);
  return ({ own, owners }) =>
    [...Map.groupBy(own, digestAt)].flatMap(([digest, listeners]): ir.TableAccess[] => {
      const [first] = listeners;
      const access = first && accessAt(level, guardOf(first));
      if (!access) return [];
      return everywhere(owners) === digest ? [access] : [{ ...access, hostnames: hostsOf(listeners, owners) }];
    });
}

const accessAt = (level: ir.TableLevel, guard: Guard | undefined): ir.ListenerAccess | undefined =>
  guard?.levels.find((demanded) => demanded.level === level);

/**
 * Requests for other listeners of an HTTPS port are answered 421 and go there, by clients that use one connection for several hosts: nothing is
 * demanded of them here. It is of hosts that no listener is for.
 */
export function hostsOf(listeners: readonly ResolvedListener[], owners: TableShape['owners']): readonly string[] {
  const hosts = listeners.map(({ hostname }) => hostname);
  const isHttps = listeners.some(({ protocol }) => protocol === 'HTTPS');
  return [...hosts, ...(isHttps && !owners.has(anyHost) ? [anyHost] : [])].sort();
}
