/**
 * From `kubectl apply` to an answer, seen from outside: how long a new HTTPRoute on a new host takes until the gateway answers 200, with
 * so many routes already there. It runs in the cluster that KUBECONFIG names, against the given class of any controller.
 *
 *     KUBECONFIG=… node bench/cluster/apply-to-200.ts [--class gatewright] [--loads 0,1000,5000] [--probes 40] [--keep]
 *
 * Two clocks: from the request sent, and from its answer. One line of JSON for each load, with what loading took.
 */
import { parseArgs } from 'node:util';
import { probeSeries } from '../support/probe-series.ts';
import { podProcesses } from '../support/processes.ts';
import { openClusterRig } from './rig.ts';

const { values: options } = parseArgs({
  options: {
    class: { type: 'string', default: 'gatewright' },
    loads: { type: 'string', default: '0,1000,5000' },
    probes: { type: 'string', default: '40' },
    keep: { type: 'boolean', default: false },
  },
});

const rig = await openClusterRig(options.class);
try {
  let loaded = 0;
  for (const load of options.loads.split(',').map(Number)) {
    const loading = await rig.probe.load(loaded, load);
    loaded = Math.max(loaded, load);
    const probes = await probeSeries(rig.probe, Number(options.probes));
    const figures = {
      class: options.class,
      routes: loaded,
      ...loading,
      ...probes,
      processes: await podProcesses(['node', 'envoy', 'envoy-gateway']),
    };
    console.log(JSON.stringify(figures));
  }
} finally {
  await rig.close(options.keep);
}
