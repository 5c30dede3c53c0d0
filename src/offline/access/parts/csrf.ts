import type * as ir from '../../../ir/index.ts';
import type { Presented } from '../presented.ts';
import { matchesText } from '../text-match.ts';
import { denies, passes, quoted, type Verdict } from '../verdict.ts';

/** Those that Envoy takes for changes. */
const changing: ReadonlySet<string> = new Set(['POST', 'PUT', 'DELETE', 'PATCH']);

export function judgeCsrf({ additionalOrigins, shadow, shadowPercent }: ir.Csrf, request: Presented): Verdict {
  if (shadow) return passes('shadow: it only counts what it would deny');
  if (!changing.has(request.method)) return passes(`${request.method} is not looked at`);
  const source = hostAndPort(request.header('origin').join(',')) || hostAndPort(request.header('referer').join(','));
  if (source === '') return denies(403, 'the request has neither Origin nor Referer');
  const target = request.header('host')[0] ?? '';
  if (source === target) return passes('the page is of the same host');
  if (additionalOrigins.some((origin) => matchesText(origin, source)))
    return passes(`${quoted(source)} is in additionalOrigins`);
  const but = shadowPercent === undefined ? '' : `; ${shadowPercent} % of such requests pass (shadowPercent)`;
  return denies(403, `the page is of ${quoted(source)}, and not of ${quoted(target)} or additionalOrigins${but}`);
}

/** Of a URL as it is written; other text as it is. */
const hostAndPort = (text: string): string => /^https?:\/\/([^/?#]+)/i.exec(text)?.[1] ?? text;
