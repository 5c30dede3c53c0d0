import * as ir from '../../ir/index.ts';
import { isEncodable, type LeftOut } from '../resource/index.ts';
import { closedRoute } from '../routes/index.ts';
import { originsOf } from './provenance.ts';

export type HostChange = Extract<ir.Change, { kind: 'virtualHost' }>;

/** What a change came to, perhaps with another host after it. */
interface Outcome<T> {
  readonly change: HostChange;
  readonly result: T;
  readonly leftOut?: LeftOut;
}

/** Hosts without the routes that cannot be encoded, in the place of those that have them. */
export class EncodableHosts {
  readonly #instead = new WeakMap<ir.VirtualHost, ir.VirtualHost>();

  of(virtualHost: ir.VirtualHost): ir.VirtualHost {
    return this.#instead.get(virtualHost) ?? virtualHost;
  }

  /** `work` throws for what cannot be encoded, and is called again without that. It changes nothing. */
  apply<T>(desired: HostChange, work: (change: HostChange) => T): Outcome<T> {
    const before = desired.before && this.of(desired.before);
    const change = before && before !== desired.before ? { ...desired, before } : desired;
    try {
      return { change, result: work(change) };
    } catch (error) {
      const { after } = change;
      if (!after) throw error;
      const works = (host: ir.VirtualHost): boolean => isEncodable(() => work({ ...change, after: host }));
      const rejected = faulty(after, works);
      const without = hostWithout(after, rejected);
      this.#instead.set(after, without);
      const closed = { ...change, after: without };
      return { change: closed, result: work(closed), leftOut: { origins: originsOf(rejected, after.routes), error } };
    }
  }
}

/** Routes that do not work by themselves, with all that their objects want of the host. All of them, where it is none. */
function faulty(host: ir.VirtualHost, works: (host: ir.VirtualHost) => boolean): readonly ir.Route[] {
  const bySource = Map.groupBy(host.routes, ({ id }) => ir.sourceOfRoute(id));
  const found = [...bySource.values()].filter((routes) => !works({ ...host, routes })).flat();
  return found.length > 0 ? found : host.routes;
}

/** Where no route is left, no request is authorized before its route is chosen. */
function hostWithout(host: ir.VirtualHost, rejected: readonly ir.Route[]): ir.VirtualHost {
  const isRejected = new Set(rejected);
  const routes = host.routes.flatMap((route) => (isRejected.has(route) ? (closedRoute(route) ?? []) : route));
  if (isRejected.size < host.routes.length) return { ...host, routes };
  const { preRoutingAuth: _, ...others } = host;
  return { ...others, routes };
}
