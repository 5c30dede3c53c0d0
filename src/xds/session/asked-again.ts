import type { Channel } from './channel.ts';
import type { Asked } from './subscription.ts';

/** All that the client is subscribed to. */
export const allOf = ({ subscription: { wildcard, names } }: Channel): Asked => ({
  everything: wildcard,
  names: [...names],
  dropped: [],
});

/** Envoy repeats a request when something in it (a warming cluster, a new listener) waits for resources it has already. */
export function askedAgain(channel: Channel, asked: Asked): Asked {
  const same = !asked.everything && asked.names.length === 0 && asked.dropped.length === 0;
  return same ? allOf(channel) : asked;
}
