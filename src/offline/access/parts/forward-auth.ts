import type * as ir from '../../../ir/index.ts';
import { networkOf, networkText } from '../networks.ts';
import type { Presented } from '../presented.ts';
import { denies, passes, unknown, type Verdict } from '../verdict.ts';

export function judgeForwardAuth(
  { backend, protocol, path, failOpen, statusOnError, exceptClientIPs }: ir.ForwardAuth,
  { address }: Presented,
): Verdict {
  if (exceptClientIPs && address === undefined) return unknown("the client's address was not said");
  const excepted = exceptClientIPs && address !== undefined ? networkOf(address, exceptClientIPs) : undefined;
  if (excepted) return passes(`${address} is in exceptClientIPs ${networkText(excepted)}`);
  if (backend === undefined) return denies(500, 'its server does not exist');
  const server = serverOf(backend);
  const asked = path === undefined ? protocol : `${protocol}, path ${path}`;
  const otherwise = failOpen ? 'requests pass' : `requests get ${statusOnError}`;
  return { verdict: 'asks', server, reason: `asks ${server} (${asked}); while it does not answer, ${otherwise}` };
}

/** Of an ir.Backend.key: `NAMESPACE/NAME:PORT`. */
const serverOf = (backend: string): string => backend.replace(/^([^/]*\/[^/]*)\/(\d+).*$/, '$1:$2');
