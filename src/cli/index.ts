/** What the commands of `gatewright` do that ask a running control plane: reading, judging, printing. */
export { AdminClient } from './admin-client.ts';
export { checkCluster } from './check-cluster.ts';
export { CliError } from './cli-error.ts';
export { type Completable, completionScript } from './completion.ts';
export { type ConnectOptions, withAdmin } from './connect.ts';
export { explain } from './explain.ts';
export { findListable, listTable } from './get.ts';
export { serveMcp } from './mcp.ts';
export { nodesTable } from './nodes.ts';
export { type OutputFormat, render } from './output.ts';
export { type RouteTestOptions, routeTestBody, routeTestText } from './route-test.ts';
export { readStatus, statusText } from './status.ts';
export { sync, syncText } from './sync.ts';
export type { Wire } from './wire.ts';
