/** What the commands of `gatewright` do that ask a running control plane: reading, judging, printing. */

export { collect, collectedText } from './collect/collect.ts';
export { type Completable, completionScript } from './completion/completion.ts';
export { fileDiff, fileDiffText, isWithoutDifference } from './diff/file-diff.ts';
export { nodeDiff, nodeDiffText } from './diff/node-diff.ts';
export { explain } from './explain/explain.ts';
export { findListable, idOfEntry, listTable } from './get/get.ts';
export { AdminClient } from './kit/admin-client.ts';
export { CliError } from './kit/cli-error.ts';
export { type ConnectOptions, withAdmin, withTexts } from './kit/connect.ts';
export { type OutputFormat, render } from './kit/output.ts';
export { rowsShower, type Screen, separated, textShower } from './kit/screen.ts';
export type { Column } from './kit/table.ts';
export { watch } from './kit/watch.ts';
export type { Wire } from './kit/wire.ts';
export { serveMcp } from './mcp.ts';
export { nodeColumns, nodesTable, offeredAgainText } from './nodes/nodes.ts';
export { checkCluster, type InstallChoice } from './precheck/check-cluster.ts';
export { type RouteTestOptions, routeTestBody, routeTestText } from './route-test/route-test.ts';
export { readStatus, statusText } from './status/status.ts';
export { sync, syncText } from './sync/sync.ts';
export type { TranslateOptions } from './translate/translate.ts';

/** What shows translations. It brings the whole admin API with it, which most commands do without. */
export const loadTranslate = () => import('./translate/translate.ts');
