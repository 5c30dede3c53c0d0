/**
 * What users notice while things break: requests run all the time through a Gateway in a cluster, and one after the other the leader is
 * killed, the leader is cut off from the API server, there is no control plane, the API server is out of reach while hundreds of routes
 * are made, certificates change, proxies get another image, and control plane and proxies are of two versions.
 *
 *     npm run bench -- outages [--only leader-killed,…] [--minutes 5] [--changes 500] [--rotations 20] [--other-root DIRECTORY]
 *
 * Runs in a testbed of its own, or in the one that KUBECONFIG names with GATEWRIGHT_TESTBED=up. `--other-root` is the root directory of an
 * image of another version (`node scripts/image.ts DIRECTORY` in its tree), for `upgrade`, which is left out without it. Prints a line of
 * JSON for each: outcomes of all requests (a status, or the code of an error), and what it took, in milliseconds.
 */
import { parseArgs } from 'node:util';
import { openCluster, runTestbed } from '../../../test/cluster/support/cluster.ts';
import { install } from '../../../test/cluster/support/install.ts';
import { type Amounts, outages } from './outages.ts';
import { openWorld } from './world.ts';

const { values: options } = parseArgs({
  options: {
    only: { type: 'string' },
    minutes: { type: 'string', default: '5' },
    changes: { type: 'string', default: '500' },
    rotations: { type: 'string', default: '20' },
    'other-root': { type: 'string' },
  },
});
const amounts: Amounts = {
  awayMs: Number(options.minutes) * 60_000,
  changes: Number(options.changes),
  rotations: Number(options.rotations),
  otherRoot: options['other-root'],
};
const wanted = options.only?.split(',') ?? Object.keys(outages);
const unknown = wanted.filter((name) => !(name in outages));
if (unknown.length > 0) throw new Error(`no outage ${unknown}; there are ${Object.keys(outages).join(', ')}`);

const cluster = await openCluster();
try {
  await install(cluster);
  const world = await openWorld(cluster);
  try {
    for (const name of wanted) {
      const observed = await world.underLoad(() => outages[name]?.(world, amounts));
      console.log(JSON.stringify({ outage: name, ...(observed.took === undefined ? { leftOut: true } : observed) }));
    }
  } finally {
    await world.close();
  }
} finally {
  if (cluster.isTestbed && !process.env.KUBECONFIG) await runTestbed('down');
}
