import { type KindName, kinds } from '../../gateway-api/index.ts';
import type { WorldFigures } from '../../telemetry/index.ts';
import { certificateFacts } from '../certificates/certificate-facts.ts';
import { nodeSync } from '../nodes/node-sync.ts';
import { snapshotTotals } from '../snapshot/snapshot-totals.ts';
import type { AdminSources } from '../sources.ts';
import { expiryWarningDays } from './summarize.ts';

/** The figures that metrics show of objects, graph and data planes; certificates count as ending as soon as the summary warns of them. */
export function worldFigures({
  graph,
  nodes,
  now,
}: Pick<AdminSources, 'graph' | 'nodes' | 'now'>): Omit<WorldFigures, 'resources'> {
  const snapshot = graph.snapshot();
  const connected = nodes.list().filter((node) => node.connected);
  const current = connected.filter((node) => nodeSync(node, snapshot?.id).sync === 'current').length;
  const secrets = snapshot ? snapshotTotals(snapshot).secrets : new Map<string, never>();
  const limit = now().getTime() + expiryWarningDays * 86_400_000;
  const ending = [...secrets].flatMap(([secret, content]) => {
    const notAfter = certificateFacts(content)?.notAfter;
    return notAfter !== undefined && notAfter.getTime() <= limit ? [{ secret, notAfter }] : [];
  });
  const objects = (Object.keys(kinds) as KindName[]).map((kind) => [kind, graph.count(kind)] as const);
  return { nodes: { current, drifted: connected.length - current }, certificates: secrets.size, ending, objects };
}
