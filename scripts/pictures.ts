import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { root } from './paths.mjs';
import { Camera } from './pictures/camera.ts';
import { shots } from './pictures/shots.ts';
import { startWorld } from './pictures/world.ts';

/**
 * usage: pictures.ts [NAME…]   takes the pictures of docs/pictures, or those of these names: the real program over
 *                              scripts/pictures/world.yaml, with some minutes of traffic, in a real Chromium
 */
const names = process.argv.slice(2);
const wanted = shots.filter(({ name }) => names.length === 0 || names.includes(name));
const folder = join(root, 'docs/pictures');
mkdirSync(folder, { recursive: true });
const world = await startWorld();
try {
  const camera = await Camera.start(world.origin, folder);
  for (const shot of wanted) for (const line of await camera.take(shot, world)) process.stdout.write(`${line}\n`);
  await camera.stop();
} finally {
  await world.stop();
}
process.exit();
