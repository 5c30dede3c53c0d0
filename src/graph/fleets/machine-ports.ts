import type * as ir from '../../ir/index.ts';
import {
  allListeners,
  type Binder,
  type ConditionFault,
  compareAge,
  type LoneGateway,
  type ResolvedListener,
} from '../model/index.ts';

/** A port that the Gateways of one fleet want. */
interface Claim {
  readonly fleet: string;
  /** The oldest of those that want it. */
  readonly gateway: LoneGateway;
  readonly address: string;
}

/**
 * The ports of one machine that runs the proxies of all fleets: each is bound once. Of several fleets that want a port at one address, the one
 * of the oldest Gateway has it, and the others' listeners say whose it is before any proxy tries. In a cluster each fleet has addresses of its own.
 */
export class MachinePorts {
  readonly #bind: Binder;
  /** By transport and port. */
  readonly #claims = new Map<string, Claim[]>();
  /** By fleet, what of the above is its. */
  readonly #portsOf = new Map<string, ReadonlySet<string>>();

  constructor(bind: Binder) {
    this.#bind = bind;
  }

  /** Notes what a fleet wants now. Gives the other fleets that want one of its former or new ports: what they have may differ. */
  claim(fleet: string, gateways: readonly LoneGateway[]): Set<string> {
    const former = this.#portsOf.get(fleet) ?? new Set<string>();
    for (const port of former) this.#put(port, fleet, undefined);
    const wanted = new Set<string>();
    for (const gateway of [...gateways].sort((a, b) => compareAge(a.object, b.object))) {
      for (const listener of allListeners(gateway).filter(({ serves }) => serves)) {
        const port = portOf(listener);
        if (wanted.has(port)) continue;
        wanted.add(port);
        this.#put(port, fleet, { fleet, gateway, address: this.#addressOf(gateways, listener) });
      }
    }
    if (wanted.size > 0) this.#portsOf.set(fleet, wanted);
    else this.#portsOf.delete(fleet);
    const touched = [...former, ...wanted].flatMap((port) => this.#claims.get(port) ?? []);
    return new Set(touched.map((claim) => claim.fleet).filter((key) => key !== fleet));
  }

  /** Why a listener of the fleet cannot have its port; undefined when it can. */
  faultOf(fleet: string, listener: ResolvedListener): ConditionFault | undefined {
    const claims = this.#claims.get(portOf(listener)) ?? [];
    const own = claims.find((claim) => claim.fleet === fleet);
    const rivals = claims.filter((claim) => own && claim !== own && overlap(claim.address, own.address));
    const [first] = rivals.sort(byAge);
    if (own === undefined || first === undefined || byAge(own, first) < 0) return undefined;
    const message = `Port ${listener.port} is Gateway ${first.gateway.key}'s, which is older, and all proxies are on this machine: change port or spec.addresses of one of the two`;
    return { reason: 'PortUnavailable', message };
  }

  #addressOf(gateways: readonly LoneGateway[], { port }: ResolvedListener): ir.BindAddress['address'] {
    const [oldest] = [...gateways].sort((a, b) => compareAge(a.object, b.object)) as [LoneGateway];
    return this.#bind(oldest.object, port).address;
  }

  #put(port: string, fleet: string, claim: Claim | undefined): void {
    const others = (this.#claims.get(port) ?? []).filter((each) => each.fleet !== fleet);
    const all = claim === undefined ? others : [...others, claim];
    if (all.length > 0) this.#claims.set(port, all);
    else this.#claims.delete(port);
  }
}

/** UDP ports are numbered apart from those of TCP. */
const portOf = ({ protocol, port }: ResolvedListener): string => `${protocol === 'UDP' ? 'udp' : 'tcp'}/${port}`;

const byAge = (a: Claim, b: Claim): number => compareAge(a.gateway.object, b.gateway.object);

const anyAddress: readonly string[] = ['0.0.0.0', '::'];

const overlap = (one: string, other: string): boolean =>
  one === other || anyAddress.includes(one) || anyAddress.includes(other);
