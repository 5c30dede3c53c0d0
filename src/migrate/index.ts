/**
 * What other gateways' objects become here, read field by field by tables that know every field. Knows nothing of Envoy and of the graph, and
 * changes nothing in a cluster.
 */
export { convertEnvoyGateway } from './envoy-gateway/convert.ts';
export { envoyGatewayKinds } from './envoy-gateway/kinds.ts';
export { envoyGatewayTables } from './envoy-gateway/tables/index.ts';
export {
  isAllConverted,
  objectsInventory,
  objectsInventoryMarkdown,
  objectsInventoryText,
} from './kit/inventory.ts';
export { SourceObjects, sourceObjectOf } from './kit/objects.ts';
export { readSourceCluster, readSourceFiles, type SourceKind } from './kit/read.ts';
export { objectsReport } from './kit/report.ts';
export { type Conversion, verdictOf } from './kit/result.ts';
export type { Rule, Table } from './kit/table.ts';
export { convertTraefik } from './traefik/convert.ts';
export { traefikKinds } from './traefik/kinds.ts';
export { conjunctionsOf } from './traefik/rule/conjunctions.ts';
export { matchesOf } from './traefik/rule/matches.ts';
export { parseRule, RuleError } from './traefik/rule/parse.ts';
export { traefikTables } from './traefik/tables/index.ts';
