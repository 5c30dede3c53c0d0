import * as ir from '../../ir/index.ts';
import { type EnvoyResource, isEncodable, type LeftOut, type Origin } from '../resource/index.ts';
import { closedChainOf, type FindTable, translateListener } from './listener.ts';

/** What was made of a listener, and chains that cannot be encoded. */
export interface EncodableListener {
  readonly resource: EnvoyResource;
  readonly leftOut?: LeftOut;
}

/**
 * A listener whose chains that cannot be encoded are closed, as are those that proxies reject.
 *
 * @throws if none of its chains can be encoded, or what they share
 */
export function encodableListener(listener: ir.Listener, tableOf: FindTable): EncodableListener {
  try {
    return { resource: translateListener(listener, tableOf) };
  } catch (error) {
    const rejected = new Set(
      listener.chains.filter(
        (chain) => !isEncodable(() => translateListener({ ...listener, chains: [chain] }, tableOf)),
      ),
    );
    if (rejected.size === listener.chains.length) throw error;
    const chains = listener.chains.map((chain) => (rejected.has(chain) ? closedChainOf(chain, tableOf) : chain));
    const origins = [...rejected].map(
      (chain): Origin => ({
        kind: 'listener',
        key: ir.chainKey(listener.key, chain.name),
        digest: ir.digestOf(chain),
      }),
    );
    return { resource: translateListener({ ...listener, chains }, tableOf), leftOut: { origins, error } };
  }
}
