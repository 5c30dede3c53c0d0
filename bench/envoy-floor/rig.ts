import { type EnvoyProcess, startEnvoy, xdsBootstrap } from '../../test/support/envoy.ts';
import { listenerName } from './resources.ts';
import { type Resource, StubAds } from './stub-ads.ts';

export interface Rig {
  readonly ads: StubAds;
  readonly envoy: EnvoyProcess;
  /** Where the listener is. */
  readonly port: number;
  /** From the start of the process to an open listener. */
  readonly startMs: number;
}

/** Runs `measure` with an Envoy that holds the resources, and ends everything whatever happens. */
export async function withEnvoy<T>(
  initial: readonly { readonly typeUrl: string; readonly resources: readonly Resource[] }[],
  measure: (rig: Rig) => Promise<T>,
): Promise<T> {
  const ads = new StubAds();
  for (const { typeUrl, resources } of initial) ads.put(typeUrl, ...resources);
  let envoy: EnvoyProcess | undefined;
  try {
    const xds = await ads.listen();
    const start = performance.now();
    envoy = await startEnvoy({ bootstrap: xdsBootstrap({ xds, nodeId: 'floor', cluster: 'default/bench' }) });
    await envoy.ready(120_000);
    const port = await envoy.port(listenerName);
    const measured = await measure({ ads, envoy, port, startMs: performance.now() - start });
    if (ads.nacks.length > 0) throw new Error(`Envoy rejected: ${ads.nacks.join('; ')}`);
    return measured;
  } finally {
    await envoy?.stop();
    ads.close();
  }
}
