import { aiReportTool } from './ai-report.ts';
import { diagnoseTool } from './diagnose.ts';
import { explainAccessTool } from './explain-access.ts';
import { explainRequestTool } from './explain-request.ts';
import { inventoryTools } from './inventory.ts';
import { listProblemsTool } from './list-problems.ts';
import { explainCodeTool, findObjectsTool, searchDocsTool } from './look-up.ts';
import { metricsQueryTool, readyQueriesTool } from './metrics-query.ts';
import { snapshotSyncTool } from './snapshot-sync.ts';
import type { Tool } from './tool.ts';
import { validateManifestTool } from './validate-manifest.ts';

/** Every tool, in the order in which a person would think of them. All of them only read. */
export const tools: readonly Tool[] = [
  explainRequestTool,
  explainAccessTool,
  listProblemsTool,
  diagnoseTool,
  findObjectsTool,
  explainCodeTool,
  searchDocsTool,
  ...inventoryTools,
  snapshotSyncTool,
  validateManifestTool,
  metricsQueryTool,
  readyQueriesTool,
  aiReportTool,
];

/** By name. */
export const toolTable: ReadonlyMap<string, Tool> = new Map(tools.map((each) => [each.name, each]));
