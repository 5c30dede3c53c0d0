import type { InfrastructureParts } from '../../admin/index.ts';
import type { ResolvedFleet, ResolvedGateway } from '../../graph/index.ts';
import type { NodeEvent } from '../../xds/index.ts';
import type { Core, Proxies } from '../control-plane/index.ts';

export interface ForeignProxiesOptions {
  readonly core: Pick<Core, 'setDataPlane' | 'xds'>;
  /** What a Gateway asks for; undefined: any address. */
  readonly askedAddress: (gateway: ResolvedGateway['object']) => string | undefined;
}

interface Fleet {
  readonly asked: string | undefined;
  /** Those in its status. */
  readonly addresses: readonly string[];
}

/** What a Gateway's status has room for. Source: GatewayStatus.addresses. */
const maxAddresses = 16;

/** Proxies that run elsewhere, and that this program does not start: a Gateway's addresses are those that its proxies connect from. */
export class ForeignProxies implements Proxies {
  readonly #options: ForeignProxiesOptions;
  /** By ResolvedFleet.key. */
  readonly #fleets = new Map<string, Fleet>();

  constructor(options: ForeignProxiesOptions) {
    this.#options = options;
    options.core.xds.onNode((event) => this.#seen(event));
  }

  ensure({ key, members, parameters: { spec } }: ResolvedFleet): void {
    if (spec === undefined) return;
    const [oldest] = members.values();
    const asked = this.#options.askedAddress((oldest as ResolvedGateway).object);
    const known = this.#fleets.get(key);
    if (known === undefined || known.asked !== asked) this.#report(key, { asked, addresses: known?.addresses ?? [] });
  }

  remove(key: string): void {
    if (this.#fleets.delete(key)) this.#options.core.setDataPlane(key, undefined);
  }

  complete(): void {}

  async parts(): Promise<InfrastructureParts> {
    return { parts: [], warnings: [] };
  }

  /** Something happened to a proxy. */
  #seen({ kind, node: { gateway } }: NodeEvent): void {
    const fleet = this.#fleets.get(gateway);
    if (fleet && (kind === 'connected' || kind === 'disconnected' || kind === 'superseded'))
      this.#report(gateway, fleet);
  }

  /** The addresses of those that left last stay until others come. */
  #report(key: string, { asked, addresses: former }: Fleet): void {
    const { core } = this.#options;
    const connected = core.xds.nodes.list().filter((node) => node.connected && node.gateway === key);
    const hosts = [...new Set(connected.map(({ peer }) => hostOf(peer)))].sort().slice(0, maxAddresses);
    const now = hosts.length === 0 ? former : asked === undefined ? hosts : [asked];
    this.#fleets.set(key, { asked, addresses: now });
    const addresses = now.map((value) => ({ type: 'IPAddress' as const, value }));
    const message = addresses.length > 0 ? '' : 'No proxy has connected yet';
    core.setDataPlane(key, { addresses, message });
  }
}

/** `ADDRESS:PORT`, the address perhaps in brackets. */
const hostOf = (peer: string): string =>
  peer
    .replace(/:\d+$/, '')
    .replace(/^\[|\]$/g, '')
    .replace(/^::ffff:(?=\d+\.)/i, '');
