import { median, percentile } from './figures.ts';
import type { RouteProbe } from './route-probe.ts';

/** New routes one after the other; each is removed before the next comes. Milliseconds by two clocks: from the request sent, and from its answer. */
export async function probeSeries(probe: RouteProbe, count: number) {
  const sent: number[] = [];
  const returned: number[] = [];
  let wrong = 0;
  for (let at = 0; at < count; at += 1) {
    const host = `probe-${at}.example.com`;
    const began = performance.now();
    const { answeredAt, surprises } = await probe.applyAndAsk(`probe-${at}`, host);
    const now = performance.now();
    sent.push(now - began);
    returned.push(now - answeredAt);
    wrong += surprises;
    await probe.removeRoute(`probe-${at}`, host);
  }
  return {
    sentTo200Ms: { p50: median(sent), p99: percentile(sent, 0.99) },
    returnedTo200Ms: { p50: median(returned), p99: percentile(returned, 0.99) },
    /** Answers before the 200 other than it and the 404 of an unknown host. */
    surprises: wrong,
  };
}
