import type { KindName } from '../../gateway-api/index.ts';
import { agentAddress } from '../dataplanes/dataplane-record.ts';
import type { AdminSources } from '../sources.ts';

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

export async function capabilities({
  graph,
  nodes,
  availability,
  managed,
  services,
  reportsAi,
}: AdminSources): Promise<Capabilities> {
  const hasSnapshot = graph.snapshot() !== undefined;
  const shows = (kind: KindName): boolean => hasSnapshot && availability(kind).available;
  const { readable, writableKinds } = managed();
  const ai = reportsAi && shows('AIService');
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
    aiOverview: ai,
    aiServices: ai,
    aiTokenPolicies: ai && shows('TokenPolicy'),
    aiCost: ai,
    aiTraces: ai,
    aiUsage: ai,
    ...(await services()),
  };
}
