import type * as ir from '../../../ir/index.ts';
import { networkOf, networkText } from '../networks.ts';
import type { Presented } from '../presented.ts';
import { denies, passes, unknown, type Verdict } from '../verdict.ts';

const mostNamed = 3;

export function judgeClientIPs({ allow, deny }: ir.ClientIPs, { address }: Presented): Verdict {
  if (allow?.length === 0) return denies(403, 'allow is empty: no address may come in');
  if (address === undefined) return unknown("the client's address was not said");
  const denied = networkOf(address, deny);
  if (denied) return denies(403, `${address} is in deny ${networkText(denied)}`);
  if (!allow) return passes(`${address} is not in deny`);
  const allowed = networkOf(address, allow);
  if (allowed) return passes(`${address} is in allow ${networkText(allowed)}`);
  const rest = allow.length - mostNamed;
  const named = allow.slice(0, mostNamed).map(networkText).join(', ');
  return denies(403, `${address} is not in allow: ${named}${rest > 0 ? ` and ${rest} more` : ''}`);
}
