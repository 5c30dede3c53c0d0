/**
 * Gatewright and others, in turns in one run: same machine, same API server, no kubelet and no controllers, and the same Envoy where a
 * subject has one.
 *
 *     npm run bench -- peer [--quick] [--loads 0,1000,5000] [--turns 3] [--probes 30] [--flips 100] [--subjects gatewright,envoy-gateway]
 *
 * `--subjects` knows `gatewright`, `envoy-gateway`, `kgateway`, `istio` and `traefik`; also `envoy-gateway-fast`, which may ask the API server a
 * hundred times faster than by default, and `traefik-fast`, which does not wait between two configurations. Traefik is PyPI's, the others
 * are built from their Go modules, the first time. Figures as JSON and as a table with ratios, in bench/results/: `peer`, or `peers` for
 * subjects of one's choice. A turn begins with a route that must answer 200; each new route must, and 404 when it is removed again. Needs
 * Linux and root (for a network and a folder of its own), util-linux and iproute2. `--quick`: one turn each with 0 and 1,000 routes.
 * `--patience 10`: minutes to wait for one thing; the row names what has not come by then, and that subject's turn is over.
 */
import { parseArgs } from 'node:util';
import { sideBySide, sideBySideOptions } from './side-by-side.ts';
import { takeTurn } from './turn.ts';

const { values: options } = parseArgs({
  options: {
    ...sideBySideOptions,
    loads: { type: 'string' },
    probes: { type: 'string', default: '30' },
    flips: { type: 'string', default: '100' },
  },
});
const loads = (options.loads ?? (options.quick ? '0,1000' : '0,1000,5000')).split(',').map(Number);

await sideBySide(
  {
    name: options.subjects === sideBySideOptions.subjects.default ? 'peer' : 'peers',
    title: 'Side by side',
    about: `Routes loaded, changed and asked for on one API server, with ${options.probes} new routes at each load.`,
    plots: [{ what: 'new route: written → 200, ms, median', over: 'routes' }],
    options,
  },
  (world, subject, note) =>
    takeTurn(world, subject, note, {
      loads,
      probes: Number(options.probes),
      flips: Number(options.flips),
      idleMs: 10_000,
    }),
);
