import type * as ir from '../../ir/index.ts';

/** The listener for clients that have no databases; undefined: it is the same for all. */
export function withoutGeo(listener: ir.Listener): ir.Listener | undefined {
  if (!listener.chains.some((chain) => chain.kind === 'http' && chain.geo)) return undefined;
  return { ...listener, chains: listener.chains.map(withoutLookup) };
}

function withoutLookup(chain: ir.Chain): ir.Chain {
  if (chain.kind !== 'http') return chain;
  const { geo, ...rest } = chain;
  return rest;
}
