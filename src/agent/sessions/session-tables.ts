import { randomUUID } from 'node:crypto';
import { formatAddress } from '../../config/index.ts';
import { addressesOfAssignment, type WireSocketAddress } from '../../envoy/wire/index.ts';
import { resourceBody, type WireResource } from '../relay/index.ts';
import { epochsAt } from './epochs.ts';
import type { SessionKeys } from './session-keys.ts';
import { tokenOf } from './token.ts';

/** What the tokens of one backend stand for, as Envoy reads it. */
export interface SessionTable {
  /** Equal versions, equal body. */
  readonly version: string;
  /** After this time there may be another one although no endpoint has changed. */
  readonly maxAgeSeconds: number;
  /**
   * One line for each endpoint: `HOST:PORT`, then its tokens, the one for new sessions first. `TOKEN=FORMER` gives the token under the
   * former key.
   */
  readonly body: string;
}

/** Which table. */
export interface TableName {
  /** Whose endpoints, by the name that Envoy has for it. */
  readonly cluster: string;
  /** ir.Session.scope */
  readonly scope: string;
  /** 0: tokens live for ever. */
  readonly lifetimeSeconds: number;
}

export interface SessionTablesOptions {
  /** The endpoints of a cluster, as Envoy has acknowledged them. */
  readonly endpointsOf: (cluster: string) => WireResource | undefined;
  readonly keys: Pick<SessionKeys, 'current'>;
  readonly now: () => Date;
}

interface Rendered {
  readonly version: string;
  readonly body: string;
  /** By endpoint and epoch, so that a change costs what is new in it. */
  readonly tokens: ReadonlyMap<string, string>;
  readonly generation: number;
}

/** A new key is in use everywhere after about this time. */
const longestAgeSeconds = 10;
/** Tables kept: one for each backend with sessions, and for each lifetime of them. The one used longest ago goes first. */
const mostTables = 1000;

/** Makes tables when they are asked for, and keeps them: endpoints of other backends are not looked at. */
export class SessionTables {
  readonly #options: SessionTablesOptions;
  readonly #rendered = new Map<string, Rendered>();
  /** Distinguishes versions of this agent from those of one before it, which may have had another key. */
  readonly #instance = randomUUID();

  constructor(options: SessionTablesOptions) {
    this.#options = options;
  }

  /** Undefined when Envoy has no such cluster, or it has no endpoints of its own. */
  find({ cluster, scope, lifetimeSeconds }: TableName): SessionTable | undefined {
    const { endpointsOf, keys, now } = this.#options;
    const id = JSON.stringify([cluster, scope, lifetimeSeconds]);
    const resource = endpointsOf(cluster);
    if (!resource) {
      this.#rendered.delete(id);
      return undefined;
    }
    const { generation, keys: ring } = keys.current();
    const { current, accepted, secondsLeft } = epochsAt(now(), lifetimeSeconds);
    const version = [this.#instance, generation, current, resource.version].join('.');
    const known = this.#rendered.get(id);
    const former = known?.generation === generation ? known.tokens : undefined;
    const rendered =
      known?.version === version
        ? known
        : {
            version,
            generation,
            ...render(addressesIn(resource), { scope, lifetimeSeconds }, accepted, ring, former),
          };
    this.#keep(id, rendered);
    const maxAgeSeconds = Math.max(1, Math.floor(Math.min(longestAgeSeconds, secondsLeft)));
    return { version, maxAgeSeconds, body: rendered.body };
  }

  #keep(id: string, rendered: Rendered): void {
    this.#rendered.delete(id);
    this.#rendered.set(id, rendered);
    const [oldest] = this.#rendered.keys();
    if (this.#rendered.size > mostTables && oldest !== undefined) this.#rendered.delete(oldest);
  }
}

function render(
  addresses: readonly string[],
  tokenScope: Pick<TableName, 'scope' | 'lifetimeSeconds'>,
  epochs: readonly number[],
  ring: readonly Buffer[],
  former: ReadonlyMap<string, string> | undefined,
): { readonly body: string; readonly tokens: ReadonlyMap<string, string> } {
  const tokens = new Map<string, string>();
  const itemOf = (address: string, epoch: number): string => {
    const id = `${epoch} ${address}`;
    const item = former?.get(id) ?? ring.map((key) => tokenOf(key, { ...tokenScope, epoch, address })).join('=');
    tokens.set(id, item);
    return item;
  };
  const lines = addresses.map((address) => [address, ...epochs.map((epoch) => itemOf(address, epoch))].join(' '));
  return { body: lines.map((line) => `${line}\n`).join(''), tokens };
}

const addressesIn = (resource: WireResource): string[] =>
  addressesOfAssignment(resourceBody(resource) ?? new Uint8Array()).map(asEnvoyPrints);

/** Envoy knows its endpoints by their addresses as it prints them, and IPv6 can be written in several ways. */
function asEnvoyPrints({ host, port }: WireSocketAddress): string {
  if (!host.includes(':')) return formatAddress({ host, port });
  return `${new URL(`http://[${host}]`).hostname}:${port}`;
}
