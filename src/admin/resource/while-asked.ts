import type { Context } from 'koa';

/** Runs `work` with a signal that comes when the caller has gone, so that no work goes on unused. */
export async function whileAsked<T>(ctx: Context, work: (signal: AbortSignal) => Promise<T>): Promise<T> {
  const left = new AbortController();
  // That of the request comes as soon as its body has been read.
  const onClose = () => left.abort();
  ctx.res.once('close', onClose);
  try {
    return await work(left.signal);
  } finally {
    ctx.res.off('close', onClose);
  }
}
