import test, { type ExecutionContext } from 'ava';
import { Feed } from '../../../../src/cluster/replicas/feed.ts';
import { defaultTiming } from '../../../../src/cluster/replicas/timing.ts';
import { until } from '../../../support/until.ts';

/** The text that a reader of the feed has got so far. */
function reading(t: ExecutionContext, feed: Feed): () => string {
  let text = '';
  const stream = feed.open();
  stream?.on('data', (part: Buffer | string) => {
    text += part;
  });
  t.teardown(() => stream?.destroy());
  return () => text;
}

test('an offer reaches replicas that read now and those that begin to read after it', async (t) => {
  const feed = new Feed({
    identity: 'a',
    nodes: { list: () => [], find: () => undefined } as never,
    snapshot: () => 'one',
    timing: defaultTiming,
  });
  t.teardown(() => feed.close());
  const early = reading(t, feed);
  feed.offerAgain({ nodeId: 'rejects', cluster: 'default/edge' });
  const late = reading(t, feed);
  const offers = (text: string) => text.match(/offer-again/g)?.length ?? 0;
  for (const text of [early, late]) {
    await until('the offer', () => offers(text()) > 0 && /synced/.test(text()));
    t.is(offers(text()), 1);
  }
});
