import type { Middleware } from 'koa';
import { HttpError } from './http-error.ts';

interface MatchedLayer {
  readonly methods: readonly string[];
}

/** The end of the line, after the router: 405 with `Allow` for a known path, 404 for any other. OPTIONS says what is allowed. */
export const unmatched: Middleware = (ctx) => {
  const layers = (ctx.matched ?? []) as readonly MatchedLayer[];
  const allowed = [...new Set(layers.flatMap(({ methods }) => methods))].sort();
  if (allowed.length === 0) throw new HttpError('not_found', `there is no ${ctx.path} here`);
  const allow = [...allowed, 'OPTIONS'].join(', ');
  if (ctx.method !== 'OPTIONS') {
    throw new HttpError('method_not_allowed', `${ctx.path} takes ${allow}, not ${ctx.method}`, {
      headers: { Allow: allow },
    });
  }
  ctx.status = 204;
  ctx.set('Allow', allow);
};
