/**
 * What an ingress-nginx serves: its objects, how it answers, and what they become here. Knows nothing of Envoy and of the graph, and changes
 * nothing in a cluster.
 */
export {
  type Annotation,
  annotationGroups,
  annotations,
  findAnnotation,
  formText,
  meantAnnotation,
} from './annotations/index.ts';
export {
  type AskedRequest,
  askAddress,
  askModel,
  comparisonReport,
  defaultLimits,
  distinct,
  explanations,
  generateRequests,
  isUnexplained,
  noFacts,
  type ReportFormat,
  readAccessLog,
  readHar,
  readSideAddress,
  requestFacts,
  runComparison,
  type SeenAnswer,
  type SideAddress,
  type Sides,
  upstreamHosts,
} from './compare/index.ts';
export { convert } from './convert/convert.ts';
export { withNginxDefaults } from './convert/nginx-defaults.ts';
export { conversionReport } from './convert/report.ts';
export { serviceBehind } from './convert/rule-context.ts';
export { yamlOf } from './convert/yaml.ts';
export { inventoryHtml } from './inventory/html.ts';
export { inventoryOf, isClear } from './inventory/inventory.ts';
export { inventoryMarkdown, plainText } from './inventory/markdown.ts';
export { inventoryText } from './inventory/text.ts';
export { wordsOf } from './inventory/words.ts';
export { judge } from './judge/judge.ts';
export { IngressNginxModel } from './model/model.ts';
export { type ModelAnswer, type ModelRequest, ruleNames } from './model/request.ts';
export { configKeys, directives, flags, type Setting, settingNamed } from './settings/index.ts';
export { moveFacts } from './shift/move-facts.ts';
export { movePlan, planMarkdown, planText } from './shift/plan.ts';
export { isMoved, migrationStatus } from './status/migration-status.ts';
export { readNewWorld } from './status/read-cluster.ts';
export { statusText } from './status/text.ts';
export { serviceUrl } from './values/service-url.ts';
export { type Verdict, worstOf } from './verdict.ts';
export { readClusterOf } from './world/connect.ts';
export { readWorldFiles } from './world/read-files.ts';
export { isServed, readyEndpoints, type World } from './world/world.ts';
export { WorldReader } from './world/world-reader.ts';
