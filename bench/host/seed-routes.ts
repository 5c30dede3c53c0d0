import { randomUUID } from 'node:crypto';
import { kinds } from '../../src/gateway-api/index.ts';
import type { KubeApiServer } from '../../test/support/kube-apiserver.ts';
import { until } from '../../test/support/until.ts';
import { namespace } from '../peer/world.ts';
import { isAccepted, type WithParents } from '../support/conditions.ts';
import { hostOf, nameOf, readyRoute } from '../support/route-probe.ts';

/** What etcd takes in one transaction. */
const batch = 128;
/** The API server takes up to a millisecond for each. */
const readMs = 600_000;

/**
 * Writes routes `from` to `to` of a probe where the API server keeps them: copies of the one that answered first, with its status, each with
 * its own name, host and uid. The API server is off meanwhile: it reads a list far faster than as many events. `accepted`: called when the
 * first one has its status, before any other is written.
 */
export async function seedRoutes(
  api: KubeApiServer,
  from: number,
  to: number,
  accepted: () => Promise<void>,
): Promise<void> {
  const keyOf = (name: string) => `/registry/gateway.networking.k8s.io/httproutes/${namespace}/${name}`;
  const first = await until('the first route to be accepted', async () => {
    const stored = await api.etcd.get(keyOf(readyRoute.name));
    const route = stored && (JSON.parse(Buffer.from(stored, 'base64').toString()) as Stored);
    return route && isAccepted(route) ? route : undefined;
  });
  await accepted();
  const entryOf = (at: number): [string, string] => {
    const metadata = { ...first.metadata, name: nameOf(at), uid: randomUUID() };
    const route = { ...first, metadata, spec: { ...first.spec, hostnames: [hostOf(at)] } };
    return [keyOf(nameOf(at)), Buffer.from(JSON.stringify(route)).toString('base64')];
  };
  await api.pause();
  for (let next = from; next < to; next += batch)
    await api.etcd.putAll(Array.from({ length: Math.min(batch, to - next) }, (_, index) => entryOf(next + index)));
  await api.resume();
  await until('the API server to have read them', () => api.client.listPage(kinds.HTTPRoute, { limit: 1 }), readMs);
}

interface Stored extends WithParents {
  readonly metadata: object;
  readonly spec: object;
}
