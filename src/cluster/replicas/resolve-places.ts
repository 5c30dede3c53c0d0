import { lookup } from 'node:dns/promises';
import { formatAddress, type ListenAddress } from '../../config/index.ts';

/** Where a replica's admin API (Layout 1) is. */
export interface ReplicaAddress {
  readonly host: string;
  readonly port: number;
}

/** Where replicas are looked for. Neither: there is but this one. */
export interface ReplicaPlaces {
  /** A name all of whose addresses are replicas, such as that of a headless Service. */
  readonly service?: ListenAddress;
  readonly peers: readonly ListenAddress[];
}

/** All addresses of a name. */
export type Lookup = (host: string) => Promise<readonly string[]>;

/** By the resolver of the system, which knows the search domains of a pod. */
export const systemLookup: Lookup = async (host) => (await lookup(host, { all: true })).map(({ address }) => address);

/** The addresses of all replicas now, this one's among them, each once. Rejects when the name cannot be resolved. */
export async function resolvePlaces(
  { service, peers }: ReplicaPlaces,
  find: Lookup,
): Promise<ReadonlyMap<string, ReplicaAddress>> {
  const fixed = peers.map(addressOf);
  const { host, port } = service === undefined ? { host: '', port: 0 } : addressOf(service);
  const found = service === undefined ? [] : (await find(host)).map((address) => ({ host: address, port }));
  return new Map([...fixed, ...found].map((address) => [formatAddress(address), address]));
}

const addressOf = ({ host = '127.0.0.1', port }: ListenAddress): ReplicaAddress => ({ host, port });
