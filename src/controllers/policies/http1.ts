import type * as ir from '../../ir/index.ts';

interface Http1Spec {
  readonly headerCase?: 'Lower' | ir.HeaderCase | undefined;
  readonly trailers?: boolean | undefined;
}

/** How messages of HTTP/1.1 are written; undefined: as by default. */
export function http1Of({ headerCase, trailers }: Http1Spec): ir.Http1Settings | undefined {
  if ((headerCase === undefined || headerCase === 'Lower') && !trailers) return undefined;
  return { ...(headerCase && headerCase !== 'Lower' && { headerCase }), ...(trailers && { trailers }) };
}
