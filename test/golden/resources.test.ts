import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import test from 'ava';
import { describeBuild } from '../support/golden/describe-build.ts';
import { objectsOf, readGolden, writeGolden } from '../support/golden/load.ts';
import { throwMishap } from '../support/mishaps.ts';
import { newGraph, put, someTime } from '../support/world.ts';

/** Resources in, statuses and IR out. `npm run golden` rewrites the outputs; a reviewer reads the difference. */
const directory = fileURLToPath(new URL('resources/', import.meta.url));
const defaults = readFileSync(`${directory}_defaults.yaml`, 'utf8');
/** As operators may allow it. */
const userCode = { lua: true, wasm: true };

for (const name of readdirSync(directory).filter((file) => file.endsWith('.yaml') && !file.startsWith('_'))) {
  test(name.replace('.yaml', '').replaceAll('-', ' '), async (t) => {
    const golden = readGolden(directory + name);
    const graph = newGraph(undefined, false, userCode);
    put(graph, ...(await objectsOf(defaults, golden.input)));
    const output = describeBuild(graph.build(someTime));
    throwMishap(graph);
    if (process.env.UPDATE_GOLDEN) writeFileSync(directory + name, writeGolden(golden, output));
    t.is(output, process.env.UPDATE_GOLDEN ? output : golden.output);
  });
}
