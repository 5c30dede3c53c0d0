import type * as ir from '../../ir/index.ts';
import type { ResolvedListener } from './listener.ts';
import type { SettingsOf } from './listener-settings.ts';
import { isHttp } from './listener-spec.ts';
import type { PortHosts } from './port-hosts.ts';

/** What is recorded of requests to a listener, of which routes may say more. */
export interface Observed {
  readonly traces: boolean;
  /** `byRoute`: routes have a say in which requests are logged. */
  readonly logs: 'none' | 'all' | 'byRoute';
}

/** By ResolvedListener.place, of those of HTTP. `accessLog`: the DataPlane's. */
export const observedOn = (
  ports: readonly PortHosts[],
  settingsOf: SettingsOf,
  accessLog: ir.AccessLog | undefined,
): ReadonlyMap<string, Observed> =>
  new Map(
    ports.flatMap((owners) => {
      const members = [...owners.values()];
      const [first] = members;
      // To Envoy, listeners of protocol HTTP on one port are one, which is as the first of them is.
      const saysFor = (member: ResolvedListener) => (member.protocol === 'HTTP' && first ? first : member);
      return members
        .filter(isHttp)
        .map((member) => [member.place, observedOf(settingsOf(saysFor(member)), accessLog)] as const);
    }),
  );

function observedOf(settings: ReturnType<SettingsOf>, dataPlanes: ir.AccessLog | undefined): Observed {
  const log = settings?.accessLog ?? dataPlanes ?? 'off';
  const logs = log === 'off' ? 'none' : log.byRoute ? 'byRoute' : 'all';
  return { traces: settings?.client?.tracing !== undefined, logs };
}

/** Whether the same is recorded at the same listeners. */
export const isSameObserved = (
  { observed: a }: { readonly observed: ReadonlyMap<string, Observed> },
  { observed: b }: { readonly observed: ReadonlyMap<string, Observed> },
): boolean => JSON.stringify([...a]) === JSON.stringify([...b]);
