import { BlockList } from 'node:net';
import test from 'ava';
import fc from 'fast-check';
import { sourcesOf } from '../../../../src/graph/hosts/stream-sources.ts';
import type * as ir from '../../../../src/ir/index.ts';

const cidr = (text: string): ir.Cidr => {
  const [address = '', length] = text.split('/');
  return { address, prefixLength: Number(length) };
};
const textOf = (list: readonly ir.Cidr[] = []) => list.map(({ address, prefixLength }) => `${address}/${prefixLength}`);
const demand = (deny: readonly string[], allow?: readonly string[]): ir.ClientIPs => ({
  deny: deny.map(cidr),
  ...(allow && { allow: allow.map(cidr) }),
});

test('without a demand every address may come in', (t) => {
  t.is(sourcesOf([]), undefined);
  t.is(sourcesOf([demand([])]), undefined);
});

test('what is denied is taken from what is allowed, the narrower network of two counts', (t) => {
  const sources = sourcesOf([
    demand(['10.1.0.0/16', '2001:db8::/32'], ['10.0.0.0/8', '10.1.2.0/24', '2001:db8:1::/48']),
  ]);
  t.deepEqual(textOf(sources?.allow), ['10.0.0.0/8']);
  t.deepEqual(textOf(sources?.deny), ['10.1.0.0/16', '2001:db8::/32']);
  t.deepEqual(textOf(sourcesOf([demand(['10.0.0.0/8'])])?.allow), ['0.0.0.0/0', '::/0']);
  t.deepEqual(sourcesOf([demand([], [])])?.allow, []);
});

const bits = fc.constantFrom(
  ...['10.0.0.0/8', '10.0.0.0/9', '10.128.0.0/9', '10.1.0.0/16', '11.0.0.0/8', '0.0.0.0/0', '10.1.2.3/32'],
);
const demands = fc.array(
  fc.record({
    deny: fc.array(bits, { maxLength: 2 }),
    allow: fc.option(fc.array(bits, { maxLength: 3 }), { nil: undefined }),
  }),
  { maxLength: 3 },
);

test('all demands together let in whom each of them lets in, as Envoy chooses the longest network', (t) => {
  const listed = (list: readonly string[], address: string): boolean => {
    const block = new BlockList();
    const networks = list.filter((text) => !text.includes(':')).map(cidr);
    for (const { address: network, prefixLength } of networks) block.addSubnet(network, prefixLength);
    return block.check(address);
  };
  const longest = (list: readonly ir.Cidr[], address: string) =>
    Math.max(-1, ...list.flatMap((each) => (listed(textOf([each]), address) ? each.prefixLength : [])));
  fc.assert(
    fc.property(
      demands,
      fc.constantFrom('10.1.2.3', '10.1.9.9', '10.2.0.1', '10.200.0.1', '11.1.1.1', '12.1.1.1'),
      (given, address) => {
        const expected = given.every(
          ({ allow, deny }) => (allow === undefined || listed(allow, address)) && !listed(deny, address),
        );
        const sources = sourcesOf(given.map(({ allow, deny }) => demand(deny, allow)));
        const isIn = sources === undefined || longest(sources.allow, address) > longest(sources.deny, address);
        t.is(isIn, expected, JSON.stringify({ given, address, sources }));
      },
    ),
  );
});
