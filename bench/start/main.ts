/**
 * What a start costs: time until a proxy answers, and CPU and memory of control plane and agent by then.
 *
 *     npm run bench -- start [--times 8] [--routes 0] [--variants '{"cache":{"NODE_COMPILE_CACHE":"/tmp/compile"}}']
 *
 * Both start from nothing beside a real API server, again and again. With `--variants` each turn has a start with each variant's
 * environment too, so that they meet the same machine. Prints medians.
 */
import { parseArgs } from 'node:util';
import { inOwnNetwork } from '../host/own-network.ts';
import { Gatewright } from '../peer/gatewright.ts';
import { World } from '../peer/world.ts';
import { median } from '../support/figures.ts';

const { values: options } = parseArgs({
  options: {
    times: { type: 'string', default: '8' },
    routes: { type: 'string', default: '0' },
    variants: { type: 'string', default: '{}' },
  },
});
const variants: Readonly<Record<string, NodeJS.ProcessEnv>> = { plain: {}, ...JSON.parse(options.variants) };
const routes = Number(options.routes);

inOwnNetwork();
await using world = await World.open();
const subject = await Gatewright.prepare(world);
const all = new Map(Object.keys(variants).map((name) => [name, [] as Record<string, number>[]]));
// The first start issues certificates and reads files that no process has read yet.
await subject.start();
await subject.probe.ready();
await subject.probe.load(0, routes);
await subject.stop();
for (let at = 0; at < Number(options.times); at += 1)
  for (const [name, env] of Object.entries(variants)) all.get(name)!.push(await started(env));
for (const [variant, starts] of all) {
  const keys = Object.keys(starts[0] ?? {});
  console.log(
    JSON.stringify({
      variant,
      ...Object.fromEntries(keys.map((key) => [key, median(starts.map((one) => one[key]!))])),
    }),
  );
}
subject.probe.close();

/** One start, until the proxy answers, and then the end of all. */
async function started(env: NodeJS.ProcessEnv): Promise<Record<string, number>> {
  Object.assign(process.env, env);
  const began = performance.now();
  try {
    await subject.start();
    if (routes > 0) await subject.probe.answers(routes - 1);
    else await subject.probe.ready();
    const ms = Math.round(performance.now() - began);
    const { controlPlane, proxy } = await subject.processes();
    const agent = proxy.find(({ what }) => !what.startsWith('envoy'))!;
    return {
      ms,
      cpu: controlPlane.cpuSeconds,
      rss: Math.round(controlPlane.rssMb),
      agentCpu: agent.cpuSeconds,
      agentRss: Math.round(agent.rssMb),
    };
  } finally {
    await subject.stop();
    for (const name of Object.keys(env)) delete process.env[name];
  }
}
