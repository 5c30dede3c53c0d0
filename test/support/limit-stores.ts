import type { ValkeyServer } from '../../src/shared-limits/index.ts';
import { ValkeyStore } from '../../src/shared-limits/index.ts';
import { systemClock } from '../../src/std/queue/index.ts';
import type { Endings } from './endings.ts';
import { until } from './until.ts';

export interface TestStore {
  readonly store: ValkeyStore;
  /** Why there was no connection, as its control plane would log it. */
  readonly lost: string[];
}

/** What a control plane has of a Valkey. */
export function storeOf(
  t: Endings,
  server: Partial<ValkeyServer> & { readonly url: URL },
  keyPrefix = 'test:',
): TestStore {
  const lost: string[] = [];
  const store = new ValkeyStore({
    server: { secrets: () => ({}), ...server },
    keyPrefix,
    clock: systemClock,
    onLost: (why) => lost.push(why),
    onConnected() {},
  });
  store.start();
  t.teardown(() => store.stop());
  return { store, lost };
}

/** The same, as soon as it is connected. */
export async function connectedStore(t: Endings, url: string, keyPrefix?: string): Promise<ValkeyStore> {
  const { store, lost } = storeOf(t, { url: new URL(url) }, keyPrefix);
  await until(`a connection (${lost.join()})`, () => store.isConnected);
  return store;
}
