/** A network: an address, and how many of its leading bits count. */
interface Network {
  readonly address: string;
  readonly prefixLength: number;
}

/** A network as text, with its family in front: of two networks, one is in the other if its text begins with the other's. */
export function networkBits({ address, prefixLength }: Network): string {
  const isV6 = address.includes(':');
  const bits = isV6
    ? v6Bits(address)
    : address
        .split('.')
        .map((part) => Number(part).toString(2).padStart(8, '0'))
        .join('');
  return `${isV6 ? '6:' : '4:'}${bits.slice(0, prefixLength)}`;
}

function v6Bits(address: string): string {
  const [head = '', tail] = address.split('::');
  const groupsOf = (text: string) => text.split(':').filter((group) => group !== '');
  const [before, after] = [groupsOf(head), groupsOf(tail ?? '')];
  const zeros = Array.from({ length: 8 - before.length - after.length }, () => '0');
  return [...before, ...zeros, ...after]
    .map((group) => Number.parseInt(group, 16).toString(2).padStart(16, '0'))
    .join('');
}
