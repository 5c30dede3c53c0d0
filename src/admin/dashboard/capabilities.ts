import type { KindName } from '../../gateway-api/index.ts';
import { agentAddress } from '../dataplanes/dataplane-record.ts';
import { routeKinds } from '../routes/route-kinds.ts';
import type { AdminSources } from '../sources.ts';
import type { Capabilities } from './record.ts';

/** Pages that dashboards for this API have, and nothing stands behind here. They are named: what is left out might be taken for there. */
const neverHere = { backendLb: false, circuitBreaker: false, wasmPlugins: false };

/** What add-ons say. */
const withoutAddons = {
  aiOverview: false,
  aiServices: false,
  aiTokenPolicies: false,
  aiCost: false,
  aiTraces: false,
  aiUsage: false,
  chatbot: false,
  metrics: false,
  settings: false,
};

export async function findCapabilities(sources: AdminSources): Promise<Capabilities> {
  const { graph, nodes, managed, addonCapabilities, page } = sources;
  const hasSnapshot = graph.snapshot() !== undefined;
  const { readable, writableKinds } = managed();
  return {
    overview: hasSnapshot,
    gateways: shows('Gateway', sources) && shows('GatewayClass', sources),
    routes: routeKinds.some(({ kind }) => shows(kind, sources)),
    httpRoutes: shows('HTTPRoute', sources),
    grpcRoutes: shows('GRPCRoute', sources),
    tcpRoutes: shows('TCPRoute', sources),
    udpRoutes: shows('UDPRoute', sources),
    tlsRoutes: shows('TLSRoute', sources),
    listenerSets: shows('ListenerSet', sources),
    referenceGrants: readable && shows('ReferenceGrant', sources),
    backendTls: readable && shows('BackendTLSPolicy', sources),
    backendPolicies: readable && shows('BackendPolicy', sources),
    listenerPolicies: readable && shows('ListenerPolicy', sources),
    dataPlanes: readable && shows('DataPlane', sources),
    nodes: true,
    topology: hasSnapshot,
    diagnostics: hasSnapshot,
    // Statistics come from the agents of connected data planes.
    observability: nodes.list().some((node) => node.connected && agentAddress(node) !== undefined),
    managedResources: readable,
    writes: writableKinds.size > 0,
    page: page.isServed,
    pageWrites: page.isServed && page.mayWrite,
    ...neverHere,
    ...withoutAddons,
    ...(await addonCapabilities()),
  };
}

/** Whether objects of the kind can be read and are in a snapshot. */
export const shows = (kind: KindName, { graph, availability }: AdminSources): boolean =>
  graph.snapshot() !== undefined && availability(kind).available;
