import type { Annotations } from './annotations.ts';
import { headerOf, type ModelRequest } from './request.ts';

export interface Cors {
  /** Undefined: every origin. */
  readonly origins: RegExp | undefined;
  /** What an allowed request's answer gets beside the origin. */
  readonly headers: Readonly<Record<string, string>>;
}

const defaults = {
  methods: 'GET, PUT, POST, DELETE, PATCH, OPTIONS',
  headers:
    'DNT,Keep-Alive,User-Agent,X-Requested-With,If-Modified-Since,Cache-Control,Content-Type,Range,Authorization',
  maxAge: 1_728_000,
};

export function corsOf(all: Annotations): Cors | undefined {
  if (!all.flag('enable-cors')) return undefined;
  const origins = all.list('cors-allow-origin');
  const exposed = all.text('cors-expose-headers');
  return {
    origins: origins.length === 0 || origins.includes('*') ? undefined : originsPattern(origins),
    headers: {
      ...((all.flag('cors-allow-credentials') ?? true) && { 'access-control-allow-credentials': 'true' }),
      'access-control-allow-methods': all.text('cors-allow-methods') ?? defaults.methods,
      'access-control-allow-headers': all.text('cors-allow-headers') ?? defaults.headers,
      ...(exposed !== undefined && { 'access-control-expose-headers': exposed }),
      'access-control-max-age': String(all.number('cors-max-age') ?? defaults.maxAge),
    },
  };
}

/** Anchored at its end alone. A star is one label. */
function originsPattern(origins: readonly string[]): RegExp {
  const each = origins.map((origin) =>
    origin.replaceAll(/[.*+?^${}()|[\]\\]/g, '\\$&').replace('\\*', '[A-Za-z0-9-]+'),
  );
  return new RegExp(`(?:${each.join('|')})$`, 'i');
}

/** What an answer gets; undefined: the origin is not allowed. */
export function corsHeaders(cors: Cors, request: ModelRequest): Readonly<Record<string, string>> | undefined {
  if (cors.origins === undefined) return { 'access-control-allow-origin': '*', ...cors.headers };
  const origin = headerOf(request, 'origin') ?? '';
  return cors.origins.test(origin) ? { 'access-control-allow-origin': origin, ...cors.headers } : undefined;
}
