import * as z from 'zod';
import { counted } from '../../../std/index.ts';
import { tool } from './tool.ts';
import type { SyncAnswer } from './wire.ts';

export const snapshotSyncTool = tool({
  name: 'snapshot_sync',
  title: 'Who is current, who has drifted',
  description:
    'For each data plane whether it runs the newest snapshot; if not, why: lost, rejected (with the proxy’s own words), or still on its way.',
  input: z.strictObject({}),
  async run(_, { ask }) {
    const value = (await ask({ method: 'GET', path: '/v1/snapshot-sync' })).body as SyncAnswer;
    const drifted = value.nodes.filter(({ sync }) => sync === 'drifted');
    return {
      summary: `${drifted.length} of ${counted(value.nodes.length, 'data plane')} not current`,
      value,
    };
  },
});
