/** What the commands of `gatewright` do that ask a running control plane: reading, judging, printing. */
export { AdminClient } from './admin-client.ts';
export { checkCluster, type InstallChoice } from './check-cluster.ts';
export { CliError } from './cli-error.ts';
export { collect, collectedText } from './collect.ts';
export { type Completable, completionScript } from './completion.ts';
export { type ConnectOptions, withAdmin, withTexts } from './connect.ts';
export { explain } from './explain.ts';
export { fileDiff, fileDiffText, isWithoutDifference } from './file-diff.ts';
export { findListable, idOfEntry, listTable } from './get.ts';
export { serveMcp } from './mcp.ts';
export { nodeDiff, nodeDiffText } from './node-diff.ts';
export { nodeColumns, nodesTable, offeredAgainText } from './nodes.ts';
export { type OutputFormat, render } from './output.ts';
export { type RouteTestOptions, routeTestBody, routeTestText } from './route-test.ts';
export { rowsShower, type Screen, separated, textShower } from './screen.ts';
export { readStatus, statusText } from './status.ts';
export { sync, syncText } from './sync.ts';
export type { Column } from './table.ts';
export type { TranslateOptions } from './translate.ts';
export { watch } from './watch.ts';
export type { Wire } from './wire.ts';

/** What shows translations. It brings the whole admin API with it, which most commands do without. */
export const loadTranslate = () => import('./translate.ts');
