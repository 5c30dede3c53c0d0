import { access } from '../access/index.ts';
import { backends } from '../backends/index.ts';
import { certificates } from '../certificates/index.ts';
import { dashboard } from '../dashboard/index.ts';
import { dataPlanes } from '../dataplanes/index.ts';
import { diff } from '../diff/index.ts';
import { events } from '../events/endpoints.ts';
import { explain } from '../explain/index.ts';
import { failures } from '../failures/index.ts';
import { gateways } from '../gateways/index.ts';
import { infrastructure } from '../infrastructure/index.ts';
import { ingresses } from '../ingresses/index.ts';
import { listeners } from '../listeners/index.ts';
import { apply, type ManagedSources, managedResource, managedResources } from '../managed-resources/index.ts';
import { namespaces } from '../namespaces/index.ts';
import { type NodeControl, nodeRejections, nodes } from '../nodes/index.ts';
import { description } from '../openapi/endpoints.ts';
import { picks } from '../picks/index.ts';
import { probes } from '../probes/index.ts';
import { problems } from '../problems/index.ts';
import { rateLimitPolicies } from '../rate-limit-policies/index.ts';
import { replicas } from '../replicas/index.ts';
import type { Endpoint, Endpoints } from '../resource/endpoint.ts';
import { resourceKinds } from '../resource-kinds/index.ts';
import { routeTest } from '../route-test/index.ts';
import { routes } from '../routes/index.ts';
import { schemas } from '../schemas/index.ts';
import { search } from '../search/index.ts';
import { serviceCatalog } from '../service-catalog/index.ts';
import { snapshot } from '../snapshot/index.ts';
import { snapshotSync } from '../snapshot-sync/index.ts';
import { snapshots } from '../snapshots/index.ts';
import type { AdminSources } from '../sources.ts';
import { summary } from '../summary/index.ts';
import { topology } from '../topology/index.ts';
import { traffic } from '../traffic/index.ts';
import { trafficPolicies } from '../traffic-policies/index.ts';
import { validation } from '../validate/index.ts';

const all = <S>(...rooms: readonly Endpoints<S>[]): readonly Endpoint<S>[] =>
  rooms.flatMap(({ endpoints }) => endpoints);

// A new resource is a line in one of these lists. The router and the description of the API follow their order.

/** What looks at things. */
export const inspection: readonly Endpoint<AdminSources>[] = all<AdminSources>(
  probes,
  summary,
  problems,
  explain,
  search,
  snapshot,
  snapshots,
  snapshotSync,
  listeners,
  routes,
  ingresses,
  routeTest,
  access,
  trafficPolicies,
  rateLimitPolicies,
  backends,
  traffic,
  picks,
  failures,
  nodes,
);

/** Where data planes can be sent again what they rejected. */
export const control: readonly Endpoint<NodeControl>[] = nodeRejections.endpoints;

/** More of what looks at things. */
export const moreInspection: readonly Endpoint<AdminSources>[] = all<AdminSources>(
  replicas,
  gateways,
  certificates,
  namespaces,
  resourceKinds,
  schemas,
  serviceCatalog,
  topology,
  infrastructure,
  dataPlanes,
  dashboard,
  events,
  description,
);

/** Where there is a cluster or a directory to write to. */
export const managed: readonly Endpoint<ManagedSources>[] = all<ManagedSources>(
  managedResources,
  apply,
  diff,
  managedResource,
);

/** What would happen to manifests; where there are managed resources. */
export const proposals: readonly Endpoint<ManagedSources>[] = validation.endpoints;
