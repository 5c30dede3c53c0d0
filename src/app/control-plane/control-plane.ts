import type { ResourceStore } from '../../admin/index.ts';
import type { Builder, Graph } from '../../graph/index.ts';
import type { Source } from '../../sources/index.ts';
import type { XdsServer } from '../../xds/index.ts';
import type { AddOns } from './add-ons.ts';
import { buildServers, type Ports } from './build-servers.ts';
import type { Connected } from './connect.ts';

/** A running control plane. */
export interface ControlPlane {
  readonly graph: Graph;
  readonly builder: Builder;
  readonly xds: XdsServer;
  readonly ports: Ports;
  /** Resolves when the source ended: after `stop`, or rejects with what made it impossible to start. */
  readonly ended: Promise<void>;
  stop(): Promise<void>;
}

export interface StartOptions {
  readonly source: Source;
  /** Where the admin API writes what the source then reports. */
  readonly resources: ResourceStore;
  readonly addOns: AddOns;
}

/**
 * Starts a connected control plane. Ports are open before the first object is read, so that probes can distinguish a slow start from
 * a dead one.
 */
export async function startControlPlane(
  connected: Connected,
  { source, resources, addOns }: StartOptions,
): Promise<ControlPlane> {
  const { core, builder, electorate, replicas, limits, controllers } = connected;
  const servers = await buildServers(connected, { source, resources, addOns }).listen();
  replicas.start();
  limits.start();
  addOns.start();
  const stopping = new AbortController();
  const ended = source.run(controllers, stopping.signal);
  ended.catch(() => {});
  return {
    graph: core.graph,
    builder,
    xds: core.xds,
    ports: servers.ports,
    ended,
    async stop() {
      builder.stop();
      connected.problems.stop();
      connected.keys.stop();
      connected.modules.stop();
      electorate.stop();
      limits.stop();
      stopping.abort();
      // Streams end first, so that the last word to the other replicas has it.
      const streams = servers.closeXds();
      const farewell = replicas.stop();
      await Promise.allSettled([ended, servers.closeAdmin(), streams, farewell]);
      await addOns.stop();
    },
  };
}
