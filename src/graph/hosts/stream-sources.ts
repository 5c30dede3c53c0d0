import type * as ir from '../../ir/index.ts';
import { networkBits } from '../../std/index.ts';

/** What one level demands of clients' addresses; `closed`: something that is not available. */
export type AddressDemand = ir.ClientIPs | 'closed';

/** What levels demand of connections, of the parts that connections can meet. Undefined: nothing. */
export function addressDemand({ closed = [], clientIPs }: ir.Access): AddressDemand | undefined {
  return closed.includes('clientIPs') ? 'closed' : clientIPs;
}

/** Networks as text, so that one that is in another begins with it. */
type Networks = ReadonlyMap<string, ir.Cidr>;

const everyAddress: readonly ir.Cidr[] = [
  { address: '0.0.0.0', prefixLength: 0 },
  { address: '::', prefixLength: 0 },
];

/** All demands together: who is in every `allow` and in no `deny`. Undefined: every address is. */
export function sourcesOf(demands: readonly ir.ClientIPs[]): ir.StreamSources | undefined {
  const lists = demands.flatMap(({ allow }) => (allow ? [byBits(allow)] : []));
  const deny = byBits(demands.flatMap((demand) => demand.deny));
  if (lists.length === 0 && deny.size === 0) return undefined;
  const [first = byBits(everyAddress), ...others] = lists;
  const allow = others.reduce(common, first);
  return {
    allow: [...allow].flatMap(([bits, cidr]) => (isIn(bits, deny) ? [] : [cidr])),
    deny: [...deny.values()],
  };
}

const byBits = (list: readonly ir.Cidr[]): Networks => new Map(list.map((cidr) => [networkBits(cidr), cidr]));

/** What is in both: of two networks that meet, the narrower one. */
const common = (one: Networks, other: Networks): Networks =>
  new Map([...[...one].filter(([bits]) => isIn(bits, other)), ...[...other].filter(([bits]) => isIn(bits, one))]);

/** Whether a network is one of these, or within one. */
function isIn(bits: string, networks: Networks): boolean {
  for (let length = familyLength; length <= bits.length; length += 1)
    if (networks.has(bits.slice(0, length))) return true;
  return false;
}

const familyLength = 2;
