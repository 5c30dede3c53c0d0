import test from 'ava';
import { BindRetry } from '../../../src/agent/relay/index.ts';
import { typeUrls } from '../../../src/envoy/wire/index.ts';
import { Backoff } from '../../../src/std/index.ts';

test('a listener whose port is taken is offered again when the control plane that would do so leaves', async (t) => {
  const message = "http/80: cannot bind '0.0.0.0:80': Address already in use";
  const rejections = new Map([[typeUrls.listener, { message, own: false }]]) as never;
  let connected = true;
  const stop = new AbortController();
  const offered = new Promise<string>((resolve) => {
    const retries = new BindRetry({
      relay: { rejections, offerRejected: resolve },
      connected: () => connected,
      clock: { now: () => new Date(), delay: async () => undefined },
      backoff: new Backoff({ baseMs: 500, maxMs: 15_000 }),
    });
    void retries.run(stop.signal);
    retries.look();
    setImmediate(() => {
      connected = false;
      retries.look();
    });
  });
  t.is(await offered, typeUrls.listener);
  stop.abort();
});
