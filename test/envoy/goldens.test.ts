import { readdirSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import test from 'ava';
import { kindModules } from '../../src/controllers/index.ts';
import { Graph } from '../../src/graph/index.ts';
import * as ir from '../../src/ir/index.ts';
import { type EnvoyResource, Translator } from '../../src/translate/index.ts';
import { startEnvoy, xdsBootstrap } from '../support/envoy.ts';
import { objectsOf, readGolden } from '../support/golden/load.ts';
import { controllerName } from '../support/objects.ts';
import { every } from '../support/repetitions.ts';
import { put, someTime } from '../support/world.ts';
import { gateway, nextEvent, publisher, removalOf, startXds } from '../support/xds.ts';

/** Every golden's gateways, one after the other, to one Envoy: it has to take all of it, and let go of it again. */
const directory = fileURLToPath(new URL('../golden/resources/', import.meta.url));
const defaults = readFileSync(`${directory}_defaults.yaml`, 'utf8');
const names = every(
  8,
  readdirSync(directory).filter((file) => file.endsWith('.yaml') && !file.startsWith('_')),
);

/** Each with an Envoy of its own: all of them one after the other take minutes on a busy machine. */
const parts = 4;

for (let part = 0; part < parts; part += 1)
  test.serial(`Envoy takes what is made of every golden, part ${part + 1} of ${parts}`, async (t) => {
    const { server, port, events } = await startXds(t);
    const publish = publisher(server);
    publish({});
    const envoy = await startEnvoy({
      bootstrap: xdsBootstrap({ xds: port, nodeId: 'goldens', cluster: gateway, likeAgents: true }),
    });
    t.teardown(() => envoy.stop());
    let held: readonly EnvoyResource[] = [];
    let taken = 0;
    for (const name of names.filter((_, index) => index % parts === part)) {
      for (const upserts of await resourcesOf(name)) {
        const stays = new Set(upserts.map(({ typeUrl, name: key }) => `${typeUrl} ${key}`));
        const removals = held.filter(({ typeUrl, name: key }) => !stays.has(`${typeUrl} ${key}`)).map(removalOf);
        const settled = nextEvent(server, (event) =>
          event.kind === 'applied' ? event.snapshot === wanted : event.kind === 'nacked',
        );
        const wanted = publish({ upserts, removals });
        await settled;
        held = upserts;
        taken += upserts.length;
        const nacks = events.splice(0).flatMap((event) => (event.kind === 'nacked' ? [event.nack.message] : []));
        t.deepEqual(nacks, [], name);
      }
    }
    t.true(taken > names.length / parts, 'a golden without a gateway that serves is the exception');
  });

/** All resources of each gateway of a golden, with listeners on ports that are free. */
async function resourcesOf(name: string): Promise<(readonly EnvoyResource[])[]> {
  // Modules are files that an agent writes, and there is none.
  const userCode = { lua: true, wasm: false };
  const bind = () => ({ address: '127.0.0.1', port: 0 });
  const graph = new Graph({ controllerName, kinds: kindModules, userCode, bind });
  put(graph, ...(await objectsOf(defaults, readGolden(directory + name).input)));
  const { snapshot } = graph.build(someTime);
  return [...new Translator().translate(snapshot, ir.allChanges(snapshot))].map(({ upserts }) => upserts);
}
