import { root } from '../paths.mjs';
import { nodePath } from './dependencies.mjs';
import { run } from './run.mjs';

/** Generates the types of Envoy and of the Gateway API, if what they are made from has changed. */
export const ensureGenerated = () => run(nodePath, ['scripts/generate/main.ts'], { cwd: root });
