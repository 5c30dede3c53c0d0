import * as z from 'zod';
import type { ReportName } from '../../traffic/index.ts';
import { whole } from '../http/index.ts';
import { get } from '../resource/endpoint.ts';
import { object } from '../resource/leaves.ts';
import type { AdminSources } from '../sources.ts';
import { askReplicas } from './ask-replicas.ts';

const path = '/v1/replicas/traffic-report';
const answer = object({ taken: z.boolean().describe('Whether this replica counts what is in it.') });

/** Whether this replica has a report of an agent. */
export const reportTaken = get({
  path,
  summary: 'Whether this replica has a report of an agent; replicas ask each other when it comes again',
  answer,
  isTagged: false,
  query: {
    cluster: 'Of the proxy, as NAMESPACE/NAME',
    node: 'Id of the proxy',
    boot: 'Which start of its agent',
    sequence: 'Number of the report',
  },
  errors: ['query_invalid'],
  handle: ({ query }, { traffic }: AdminSources) => ({
    taken: traffic.isTaken({
      cluster: query.get('cluster') ?? '',
      nodeId: query.get('node') ?? '',
      boot: query.get('boot') ?? '',
      sequence: whole('sequence', query.get('sequence') ?? '0', 0, Number.MAX_SAFE_INTEGER),
    }),
  }),
});

/** Whether another replica counts what is in a report. One that does not answer has lost it, or is said to be missing in what all of them count. */
export async function isTakenElsewhere(
  { cluster, nodeId, boot, sequence }: ReportName,
  sources: Pick<AdminSources, 'replicas'>,
): Promise<boolean> {
  const query = new URLSearchParams({ cluster, node: nodeId, boot, sequence: String(sequence) });
  const { answers } = await askReplicas<z.infer<typeof answer>>(`${path}?${query}`, sources);
  return answers.some(({ taken }) => taken === true);
}
