/**
 * Requests that fail while things change: many connections ask without a pause for what must always answer.
 *
 *     npm run bench -- failed-requests [--quick] [--connections 16] [--routes 1000] [--flips 350] [--orders 150] [--rollouts 7]
 *         [--crashes 2] [--turns 3] [--patience 10] [--subjects gatewright,envoy-gateway]
 *
 * One row for each of: a route's backend port flips and a filter comes and goes; a route's rules change places and weights move; all pods
 * of a Service are replaced, as a Deployment does; new routes are written, each asked for from the start and expected to answer 404 and
 * then 200; and, with these routes there, the control plane is killed and starts again. Fails: a connection refused or ended, no answer
 * for ten seconds, a status other than 200, the wrong backend. Needs what `peer` needs. `--quick`: two minutes.
 */
import { parseArgs } from 'node:util';
import { flips } from '../peer/flips.ts';
import { sideBySide, sideBySideOptions } from '../peer/side-by-side.ts';
import { type Tally, total } from '../support/tally.ts';
import { crashes } from './crashes.ts';
import { newRoutes } from './new-routes.ts';
import { orders } from './orders.ts';
import { rollouts } from './rollouts.ts';

const { values: options } = parseArgs({
  options: {
    ...sideBySideOptions,
    connections: { type: 'string', default: '16' },
    routes: { type: 'string' },
    flips: { type: 'string' },
    orders: { type: 'string' },
    rollouts: { type: 'string' },
    crashes: { type: 'string' },
  },
});
const sizeOf = (given: string | undefined, quick: number, full: number) =>
  Number(given ?? (options.quick ? quick : full));
const connections = Number(options.connections);
const sizes = {
  flips: sizeOf(options.flips, 25, 350),
  orders: sizeOf(options.orders, 25, 150),
  rollouts: sizeOf(options.rollouts, 2, 7),
  routes: sizeOf(options.routes, 100, 1000),
  crashes: sizeOf(options.crashes, 1, 2),
};

await sideBySide(
  {
    name: 'failed-requests',
    title: 'Failed requests',
    about: `Failed, of all requests over ${connections} connections that ask without a pause.`,
    plots: [{ what: 'all' }],
    options,
  },
  async (world, subject, note) => {
    const scene = { world, subject, connections, minutes: Number(options.patience) };
    const all: Tally[] = [];
    const row = (what: string, tally: Tally) => {
      all.push(tally);
      note(what, tally);
    };
    await subject.start();
    try {
      await subject.probe.ready();
      row(`${sizes.flips} changes of port and filter`, await flips(subject, sizes.flips, connections));
      row(`${sizes.orders} changes of order and weight`, await orders(scene, sizes.orders));
      row(`${sizes.rollouts} rollouts of the backend`, await rollouts(scene, sizes.rollouts));
      row(`${sizes.routes} new routes`, await newRoutes(scene, sizes.routes));
      row(`${sizes.crashes} kills of the control plane`, await crashes(scene, sizes.crashes));
      note('all', total(all));
    } finally {
      await subject.stop();
      await subject.probe.removeAll();
    }
  },
);
