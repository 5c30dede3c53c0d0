/**
 * What the control plane and the agent have to agree on: names that both write or read, and Envoy's words that both understand. Imports nothing
 * of ours: the agent, of which there is one for each proxy, loads it.
 */
export {
  aiHeaders,
  aiLogs,
  aiOperations,
  budgetDescriptor,
  type PickOutcome,
  pickOutcomes,
  poolHeaders,
  poolNamedChars,
  poolOutcomes,
} from './ai.ts';
export { isBindError } from './bind-error.ts';
export { bootstrapFault } from './bootstrap.ts';
export {
  type BudgetAmount,
  type BudgetCount,
  type BudgetHold,
  type BudgetNews,
  type BudgetSum,
  type BudgetVerdict,
  budgetLimits,
} from './budgets.ts';
export {
  agentService,
  isBehindInnerListener,
  isInnerCluster,
  longestFirstCheckMs,
  parseClusterName,
  sessionService,
  sharedLimitService,
} from './clusters.ts';
export {
  type ConcurrentBucket,
  type ConcurrentBuckets,
  type ConcurrentKey,
  concurrentMetadata,
  concurrentPath,
  heldService,
  parseConcurrentBuckets,
} from './concurrent-limits.ts';
export {
  type DatabaseFault,
  databaseFaultsMetadata,
  databaseFaultsText,
  databaseFaultsType,
  readDatabaseFaults,
} from './database-faults.ts';
export {
  type ChainRole,
  chainPrefixes,
  chainsOfTable,
  demandingChains,
  guardStopCount,
  guardStopName,
  guardsName,
  guardsSlot,
  isFilterChain,
  isGuards,
  isSlotLists,
  namesSentFor,
  piecesOf,
  slotListsListenerName,
  slotListsPrefix,
  slotOfItem,
  tableOfChain,
  tableOfScope,
  wholeOf,
} from './filter-chains.ts';
export { type GeoDatabase, geoDatabases, geoFile, geoMetadata, unavailablePlace } from './geoip.ts';
export { goodbyeType } from './goodbye.ts';
export { maxRegexProgramSize } from './limits.ts';
export { innerListenerPrefix, probeListener, protocolOfListener } from './listeners.ts';
export { quotingDetails, withoutQuotes } from './login-details.ts';
export { type ImageReference, imageKey, type ModuleImage, moduleFileKey, readReference } from './module-image.ts';
export { moduleFile } from './modules.ts';
export { namedServerSuffix, parseNamedServer } from './named-servers.ts';
export { longestUsersPart, passwordHeaders, passwordService } from './passwords.ts';
export { limitHeaders, limitMetadata, limitStats } from './rate-limits.ts';
export { type RejectedKind, rejectedKinds } from './rejected-kinds.ts';
export { rejectionWords } from './rejection-words.ts';
export { patchesMetadata, patchType } from './resource-patches.ts';
export {
  bucketName,
  type LimitGrant,
  type LimitGrants,
  type LimitTake,
  type LimitTakes,
  limitDescriptor,
  parseBucketId,
  parsePolicyOfBucketId,
  parseSharedBucket,
  rememberedAs,
  type SharedBucket,
  type SharedWindow,
  sharedBucketText,
  takeLimits,
  takesPath,
} from './shared-limits.ts';
export {
  accessTags,
  askedKey,
  deniedStatuses,
  durationBounds,
  failureFlags,
  failureLogs,
  failureStatus,
  failureTags,
  maxTrafficCounters,
  noRouteFlag,
  passedNamespace,
  pickCounter,
  trafficEvictionSeconds,
  trafficPrefix,
  trafficService,
} from './traffic.ts';
export {
  type EndpointReport,
  type FailureReport,
  judged,
  type PickRow,
  type TrafficReport,
  type TrafficRow,
  trafficLimits,
  trafficReportPath,
} from './traffic-report.ts';
export { addSums, noSums, type Sums } from './traffic-sums.ts';
export { trialsMetadata, untriedReason, untriedWords } from './trials.ts';
export { maybeHeld, unknownVersion } from './versions.ts';
