import { execFile } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { stringify } from 'yaml';
import { helmPath, root } from '../../scripts/paths.mjs';
import type { KubernetesObject } from '../../src/gateway-api/index.ts';
import { objectsOf } from './manifests.ts';

const call = promisify(execFile);

/** Values of a chart; what is left out is its default. */
export type Values = Readonly<Record<string, unknown>>;

/** The charts of charts/. */
export type Chart = 'gatewright' | 'gatewright-crds';

export interface Rendering {
  readonly release?: string;
  readonly namespace?: string;
}

/** What Helm printed, by what it was asked: a start of Helm takes longer than most tests. */
const rendered = new Map<string, Promise<string>>();

/** What Helm would install. Rejects with Helm's message when values are rejected. */
export async function render(
  chart: Chart,
  values: Values = {},
  { release = 'gatewright', namespace = 'gatewright-system' }: Rendering = {},
): Promise<KubernetesObject[]> {
  const question = JSON.stringify([chart, values, release, namespace]);
  const asked =
    rendered.get(question) ??
    helm(['template', release, chartPath(chart), '--namespace', namespace, '-f', '-'], values);
  rendered.set(question, asked);
  return objectsOf(await asked);
}

export const chartPath = (chart: Chart): string => join(root, 'charts', chart);

// Nothing of the user's, nothing left in the user's home, and nothing that another run learned of an API server on the same port.
const place = mkdtempSync(join(tmpdir(), 'gatewright-helm-'));
process.once('exit', () => rmSync(place, { recursive: true, force: true }));
const env = {
  ...process.env,
  HELM_NO_PLUGINS: '1',
  HELM_CACHE_HOME: place,
  HELM_CONFIG_HOME: place,
  HELM_DATA_HOME: place,
  KUBECACHEDIR: join(place, 'kube'),
};

/** Runs Helm, with values on its standard input if there are any; resolves with what it printed. */
export async function helm(args: readonly string[], values?: Values): Promise<string> {
  const running = call(helmPath(), args, { env, maxBuffer: 64 << 20 });
  // It may end without having read them: its message says why.
  running.child.stdin?.on('error', () => undefined);
  running.child.stdin?.end(values && stringify(values));
  const { stdout } = await running.catch((error: { readonly stderr: string; readonly message: string }) => {
    throw new Error(error.stderr || error.message);
  });
  return stdout;
}
