import { ensureEnvoyGateway } from '../../scripts/setup/envoy-gateway.mjs';
import { ensureIstio } from '../../scripts/setup/istio.mjs';
import { ensureKgateway } from '../../scripts/setup/kgateway.mjs';
import { ensureTraefik } from '../../scripts/setup/traefik.mjs';
import { EnvoyGateway } from './envoy-gateway.ts';
import { prepareIstio } from './istio.ts';
import { prepareKgateway } from './kgateway.ts';
import type { Built } from './peer-subject.ts';
import type { Subject } from './subject.ts';
import { prepareTraefik } from './traefik.ts';
import type { World } from './world.ts';

interface Peer {
  /** Builds it when there is none yet, where it can be built. */
  readonly build: () => Promise<Built>;
  readonly prepare: (world: World, built: Built) => Promise<Subject>;
}

const peers: Readonly<Record<string, Peer>> = {
  'envoy-gateway': { build: ensureEnvoyGateway, prepare: EnvoyGateway.prepare },
  'envoy-gateway-fast': {
    build: ensureEnvoyGateway,
    prepare: (world, built) => EnvoyGateway.prepare(world, built, { rate: { qps: 5000, burst: 10_000 } }),
  },
  kgateway: { build: ensureKgateway, prepare: prepareKgateway },
  istio: { build: ensureIstio, prepare: prepareIstio },
  traefik: { build: ensureTraefik, prepare: prepareTraefik },
  'traefik-fast': {
    build: ensureTraefik,
    prepare: (world, built) => prepareTraefik(world, built, { pause: '0s' }),
  },
};

/** Peers by the name of `--subjects`, built. */
export type Peers = ReadonlyMap<string, Built>;

/**
 * Builds all of these subjects but ours: before a bench has a network of its own, for building fetches.
 * @throws when there is none of that name, and says which ones there are
 */
export async function builtPeers(names: readonly string[]): Promise<Peers> {
  const built = new Map<string, Built>();
  for (const name of names.filter((one) => one !== 'gatewright')) {
    const peer = peers[name];
    if (!peer) throw new Error(`--subjects: no ${name}; there are gatewright, ${Object.keys(peers).join(', ')}`);
    built.set(name, await peer.build());
  }
  return built;
}

export async function preparePeer(world: World, built: Peers, name: string): Promise<Subject> {
  const peer = peers[name];
  const program = built.get(name);
  if (!peer || !program) throw new Error(`${name} has not been built`);
  return await peer.prepare(world, program);
}
