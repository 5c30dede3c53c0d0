import { createHash } from 'node:crypto';
import { kinds } from '../../gateway-api/index.ts';
import type { AdminSources } from '../sources.ts';
import { askStanding } from '../traffic/standing.ts';
import { askRejectedNames } from './ask-rejected-names.ts';
import { listBackends } from './backend-record.ts';

/** Objects of any of them may say something of a backend, of its endpoints, or of the routes that forward to it. */
const everyKind = Object.keys(kinds) as (keyof typeof kinds)[];

/** What is shown of backends: objects and the newest snapshot, and what proxies and requests say of endpoints and hosts. */
export async function tagOfBackends(sources: AdminSources): Promise<string> {
  const { graph, tagOf } = sources;
  const [{ endpoints }, rejectedNames] = await Promise.all([
    askStanding(sources),
    askRejectedNames([...listBackends(graph)], sources),
  ]);
  const said = createHash('sha256').update(JSON.stringify([endpoints, [...rejectedNames]]));
  return `${tagOf(...everyKind)}-${graph.snapshot()?.id}-${said.digest('base64url').slice(0, 16)}`;
}
