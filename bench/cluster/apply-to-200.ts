/**
 * From `kubectl apply` to an answer, seen from outside: how long a new HTTPRoute on a new host takes until the gateway answers 200, with
 * so many routes already there. It runs in the cluster that KUBECONFIG names, against the class that is given, whoever controls it.
 *
 *     KUBECONFIG=… node bench/cluster/apply-to-200.ts [--class gatewright] [--loads 0,1000,5000] [--probes 40] [--keep]
 *
 * Two clocks: from the request sent, and from its answer. One line of JSON for each load, with what loading took.
 */
import { parseArgs } from 'node:util';
import { median, percentile } from './figures.ts';
import { processesOf } from './processes.ts';
import { Rig } from './rig.ts';

const { values: options } = parseArgs({
  options: {
    class: { type: 'string', default: 'gatewright' },
    loads: { type: 'string', default: '0,1000,5000' },
    probes: { type: 'string', default: '40' },
    keep: { type: 'boolean', default: false },
  },
});

const rig = await Rig.open({ gatewayClass: options.class });
try {
  let loaded = 0;
  for (const load of options.loads.split(',').map(Number)) {
    const loading = await rig.load(loaded, load);
    loaded = Math.max(loaded, load);
    const probes = await probe(Number(options.probes));
    const figures = {
      class: options.class,
      routes: loaded,
      ...loading,
      ...probes,
      ...(await processesOf(['node', 'envoy', 'envoy-gateway'])),
    };
    console.log(JSON.stringify(figures));
  }
} finally {
  await rig.close(options.keep);
}

/** New routes one after the other; each is removed before the next comes. */
async function probe(count: number) {
  const sent: number[] = [];
  const returned: number[] = [];
  let wrong = 0;
  for (let at = 0; at < count; at += 1) {
    const host = `probe-${at}.example.com`;
    const began = performance.now();
    const { answeredAt, surprises } = await rig.applyAndAsk(`probe-${at}`, host);
    const now = performance.now();
    sent.push(now - began);
    returned.push(now - answeredAt);
    wrong += surprises;
    await rig.removeRoute(`probe-${at}`, host);
  }
  return {
    sentTo200Ms: { p50: median(sent), p99: percentile(sent, 0.99) },
    returnedTo200Ms: { p50: median(returned), p99: percentile(returned, 0.99) },
    /** Answers before the 200 that were neither it nor the 404 of a host nobody knows. */
    surprises: wrong,
  };
}
