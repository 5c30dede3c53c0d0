import { headerName } from '../values/header-name.ts';
import type { Annotations } from './annotations.ts';
import { nginxRegex } from './regex.ts';
import { headerOf, type ModelRequest } from './request.ts';

/** Which part of a primary's requests a canary gets. */
export interface Canary {
  readonly weight: number;
  readonly total: number;
  readonly header: string | undefined;
  readonly value: string | undefined;
  readonly pattern: string | undefined;
  readonly cookie: string | undefined;
}

export function canaryOf(all: Annotations): Canary | undefined {
  if (!all.flag('canary')) return undefined;
  return {
    weight: all.number('canary-weight') ?? 0,
    total: Math.max(100, all.number('canary-weight-total') ?? 100),
    header: nameIn(all, 'canary-by-header')?.toLowerCase(),
    value: all.text('canary-by-header-value'),
    pattern: all.text('canary-by-header-pattern'),
    cookie: nameIn(all, 'canary-by-cookie'),
  };
}

/** A name that no request can have decides nothing. */
function nameIn(all: Annotations, annotation: string): string | undefined {
  const name = all.text(annotation);
  return name !== undefined && headerName.test(name) ? name : undefined;
}

/** The share of such requests that the canary gets; `unknown`: only nginx can say. */
export function canaryShare(canary: Canary, request: ModelRequest): number | 'unknown' {
  const byHeader = headerVerdict(canary, request);
  if (byHeader !== undefined) return byHeader;
  const cookie = canary.cookie === undefined ? undefined : cookieOf(request, canary.cookie);
  if (cookie === 'always') return 1;
  if (cookie === 'never') return 0;
  return Math.min(1, Math.max(0, canary.weight) / canary.total);
}

/** Undefined: the header decides nothing. */
function headerVerdict({ header, value, pattern }: Canary, request: ModelRequest): 0 | 1 | 'unknown' | undefined {
  const sent = header === undefined ? undefined : headerOf(request, header);
  if (sent === undefined) return undefined;
  if (value !== undefined) return value === sent ? 1 : undefined;
  if (pattern !== undefined) return matches(pattern, sent);
  if (sent === 'always') return 1;
  return sent === 'never' ? 0 : undefined;
}

function matches(pattern: string, text: string): 0 | 1 | 'unknown' | undefined {
  const regex = nginxRegex(pattern, { ignoresCase: false });
  if ('fault' in regex) return 0;
  const match = regex.match(text);
  return match === 'unknown' ? match : match && 1;
}

function cookieOf(request: ModelRequest, name: string): string | undefined {
  const cookies = (headerOf(request, 'cookie') ?? '').split(';').map((pair) => pair.trim().split('='));
  return cookies
    .find(([each]) => each?.toLowerCase() === name.toLowerCase())
    ?.slice(1)
    .join('=');
}
