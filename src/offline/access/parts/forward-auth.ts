import type * as ir from '../../../ir/index.ts';
import { denies, type Verdict } from '../verdict.ts';

export function judgeForwardAuth({ backend, protocol, path, failOpen, statusOnError }: ir.ForwardAuth): Verdict {
  if (backend === undefined) return denies(500, 'its server does not exist');
  const server = serverOf(backend);
  const asked = path === undefined ? protocol : `${protocol}, path ${path}`;
  const otherwise = failOpen ? 'requests pass' : `requests get ${statusOnError}`;
  return { verdict: 'asks', server, reason: `asks ${server} (${asked}); while it does not answer, ${otherwise}` };
}

/** Of an ir.Backend.key: `NAMESPACE/NAME:PORT`. */
const serverOf = (backend: string): string => backend.replace(/^([^/]*\/[^/]*)\/(\d+).*$/, '$1:$2');
