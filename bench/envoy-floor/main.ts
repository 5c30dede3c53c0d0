/**
 * Envoy's own floor: how fast it can take a route from any control plane, and what a request costs it.
 *
 *     node bench/envoy-floor/main.ts rds|vhds|srds N PROBES   one host more beside N
 *     node bench/envoy-floor/main.ts requests                 CPU time of a request by the way its route is found
 *     node bench/envoy-floor/main.ts chains [ROUNDS]          CPU time of a request by what the filter chains of its table hold
 *     node bench/envoy-floor/main.ts access                   CPU time of a request by what policies of access demand, ours and Envoy's filter alone
 *     node bench/envoy-floor/main.ts wide-hosts               thousands of routes under one host
 *
 * One Envoy worker, a server with its bytes ready, everything on loopback. CPU times are Envoy's, from the scheduler;
 * on a busy machine read the minimum, and the times on the clock not at all. One line of JSON for each figure.
 */
import { measureAccess } from './access-cost.ts';
import { measureChains } from './chain-cost.ts';
import { measurePropagation } from './propagation.ts';
import { measureRequests, measureWideHosts } from './request-cost.ts';
import { modes } from './resources.ts';

const [what = '', count, probes = '20'] = process.argv.slice(2);
const mode = modes.find((known) => known === what);

if (mode) await measurePropagation(mode, Number(count ?? 1000), Number(probes));
else if (what === 'requests') await measureRequests();
else if (what === 'chains') {
  for (const { name, ...costs } of await measureChains(Number(count ?? 240)))
    console.log(
      JSON.stringify({ name, ...Object.fromEntries(Object.entries(costs).map(([key, us]) => [key, us.toFixed(2)])) }),
    );
} else if (what === 'access') await measureAccess();
else if (what === 'wide-hosts') await measureWideHosts();
else {
  console.error(`usage: main.ts ${modes.join('|')} N PROBES | requests | chains | access | wide-hosts`);
  process.exitCode = 1;
}
