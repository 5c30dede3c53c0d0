/** What every process of ours has: how it starts, what it watches of its configuration, how it ends. */
export { findDefinitions } from './find-definitions.ts';
export { followFile } from './follow-file.ts';
export { forceExit } from './force-exit.ts';
export { packageRoot } from './package-root.ts';
export { pageFolder } from './page-folder.ts';
export { plainAgentWarning, plainXdsWarning, rejectPlainXds } from './plain-xds.ts';
export { type ServeParts, type Service, serve } from './serve.ts';
export { version } from './version.ts';
