import { setTimeout as delay } from 'node:timers/promises';
import test from 'ava';
import { Load } from './support/http.ts';
import { Shop } from './support/shop.ts';
import { deadlineMs } from './support/until.ts';

test.beforeEach((t) => t.timeout(6 * deadlineMs));

interface Seen {
  readonly status: { readonly addresses: readonly { readonly value: string }[] };
}

/** Each in a namespace of its own: whatever is new of a Gateway comes into being with it. */
const tries = 5;

test.serial('kubectl wait for Programmed is enough: every connection after it is accepted', async (t) => {
  for (let turn = 1; turn <= tries; turn++) {
    const began = Date.now();
    const shop = await Shop.open(t, `cluster-wait-${turn}`);
    await shop.kubectl('wait', '--for=condition=Programmed', 'gateway/edge', `--timeout=${deadlineMs / 1000}s`);
    const { status } = await shop.get<Seen>('gateway', 'edge');
    const programmedAt = Date.now();
    const load = new Load(() => shop.ask(status.addresses[0]?.value ?? ''));
    await shop.serves(status.addresses[0]?.value ?? '');
    // Rules of kube-proxy that come late would be late within this time.
    await delay(2000);
    const outcomes = await load.stop();
    t.log(`try ${turn}: programmed after ${programmedAt - began} ms, then ${JSON.stringify(outcomes)}`);
    // The backend of the route may still start, which the proxy says itself.
    t.deepEqual(
      Object.keys(outcomes).filter((outcome) => !/^\d+$/.test(outcome)),
      [],
    );
  }
});
