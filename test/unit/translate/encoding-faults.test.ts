import { readdirSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import test from 'ava';
import * as ir from '../../../src/ir/index.ts';
import { type EnvoyResource, Translator } from '../../../src/translate/index.ts';
import { objectsOf, readGolden } from '../../support/golden/load.ts';
import { every } from '../../support/repetitions.ts';
import { spoilt } from '../../support/spoilt-snapshots.ts';
import { newGraph, put, someTime } from '../../support/world.ts';

/** Every number of every golden snapshot, as one that some field of Envoy has no room for. */

const directory = fileURLToPath(new URL('../../golden/resources/', import.meta.url));
const defaults = readFileSync(`${directory}_defaults.yaml`, 'utf8');
const userCode = { lua: true, wasm: true };

async function snapshotOf(name: string): Promise<ir.Snapshot> {
  const graph = newGraph(undefined, false, userCode);
  put(graph, ...(await objectsOf(defaults, readGolden(directory + name).input)));
  return graph.build(someTime).snapshot;
}

const nameOf = ({ typeUrl, name }: Pick<EnvoyResource, 'typeUrl' | 'name'>): string =>
  `${typeUrl.split('.').at(-1)} ${name}`;

function made(snapshot: ir.Snapshot) {
  const translator = new Translator(userCode);
  const changes = translator.translate(snapshot, ir.allChanges(snapshot));
  const resources = changes.flatMap(({ gateway, upserts }) =>
    upserts.map((resource) => [`${gateway} ${nameOf(resource)}`, resource.version] as const),
  );
  return { resources: new Map(resources), faults: [...translator.faults] };
}

test('a number that cannot be encoded costs what has it, is reported, and every other resource is as it was', async (t) => {
  t.timeout(300_000);
  const seen = new Set<string>();
  const values = every(3, [-1, 1.5, 2 ** 70]);
  let faulty = 0;
  for (const name of readdirSync(directory).filter((file) => file.endsWith('.yaml') && !file.startsWith('_'))) {
    const snapshot = await snapshotOf(name);
    const before = made(snapshot);
    t.deepEqual(before.faults, [], name);
    for (const { path, snapshot: bad, mayDiffer } of spoilt(snapshot, seen, values)) {
      const after = made(bad);
      if (after.faults.length === 0) continue;
      faulty += 1;
      for (const [resource, version] of before.resources)
        if (after.resources.get(resource) !== version && !mayDiffer(resource)) t.fail(`${name}: ${path}: ${resource}`);
    }
  }
  t.true(seen.size > 150, `${seen.size} numbers`);
  t.true(faulty > 60, `${faulty} of ${seen.size}`);
});
