import type { KindName } from '../../gateway-api/index.ts';
import { agentAddress } from './dataplanes.ts';
import type { World } from './world.ts';

/** What a dashboard may show: each is true only while it works. */
export interface Capabilities {
  readonly overview: boolean;
  readonly gateways: boolean;
  readonly routes: boolean;
  readonly referenceGrants: boolean;
  readonly backendTls: boolean;
  readonly nodes: boolean;
  readonly topology: boolean;
  readonly diagnostics: boolean;
  readonly observability: boolean;
  readonly managedResources: boolean;
  readonly writes: boolean;
  readonly aiOverview: boolean;
  readonly aiServices: boolean;
  readonly aiTokenPolicies: boolean;
  readonly aiCost: boolean;
  readonly aiTraces: boolean;
  readonly aiUsage: boolean;
  readonly chatbot: boolean;
  readonly metrics: boolean;
  readonly settings: boolean;
}

/** What is not there at all: its endpoints answer 501. */
const absent = {
  aiOverview: false,
  aiServices: false,
  aiTokenPolicies: false,
  aiCost: false,
  aiTraces: false,
  aiUsage: false,
} as const;

export async function capabilities({ graph, nodes, availability, managed, services }: World): Promise<Capabilities> {
  const hasSnapshot = graph.snapshot() !== undefined;
  const shows = (kind: KindName): boolean => hasSnapshot && availability(kind).available;
  const { readable, writableKinds } = managed();
  return {
    overview: hasSnapshot,
    gateways: shows('Gateway') && shows('GatewayClass'),
    routes: shows('HTTPRoute'),
    referenceGrants: readable && shows('ReferenceGrant'),
    backendTls: readable && shows('BackendTLSPolicy'),
    nodes: true,
    topology: hasSnapshot,
    diagnostics: hasSnapshot,
    // Statistics come from the agents of connected data planes.
    observability: nodes.list().some((node) => node.connected && agentAddress(node) !== undefined),
    managedResources: readable,
    writes: writableKinds.size > 0,
    ...absent,
    ...(await services()),
  };
}
