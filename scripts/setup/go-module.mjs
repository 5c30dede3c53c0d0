import { GO_ENVIRONMENT } from './go.mjs';
import { run } from './run.mjs';

/**
 * Builds a program of a Go module as it is, in the module's own directory: so its go.mod holds with all that it pins.
 * @param {string} go
 * @param {{ module: string, main: string, output: string, folder: string, tags?: string }} of `module`: with its version; `main`: the package
 *   within it, such as `./cmd/x`; `output`: path of the program; `folder`: one that is there; `tags`: build tags, by commas
 * @returns {Promise<string>} the module's directory
 */
export async function buildGoModule(go, { module, main, output, folder, tags = '' }) {
  const env = { ...GO_ENVIRONMENT, CGO_ENABLED: '0' };
  const { Dir: source } = JSON.parse(await run(go, ['mod', 'download', '-json', module], { cwd: folder, env }));
  const parameters = ['build', '-mod=mod', '-modcacherw', '-trimpath', '-ldflags=-s -w', `-tags=${tags}`, '-o', output];
  await run(go, [...parameters, main], { cwd: source, env });
  return source;
}
