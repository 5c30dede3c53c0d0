import { existsSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { entrypoint, makeImageRoot, user } from '../../../scripts/image.ts';
import { crdDir, kubernetesDir, root } from '../../../scripts/paths.mjs';
import { type Cluster, runTestbed } from './cluster.ts';
import { shell } from './shell.ts';
import { deadlineMs } from './until.ts';

/** What the manifests name. */
const image = 'gatewright:0.1.0';
const manifests = join(root, 'manifests/install.yaml');

/**
 * Installs Gatewright as its manifests say and waits until it is ready. In the testbed the image is made of this working
 * tree; elsewhere it must be there, under the name in `GATEWRIGHT_IMAGE`.
 *
 * @param config a line more of the configuration file
 */
export async function install(cluster: Cluster, config?: string): Promise<void> {
  if (cluster.isTestbed) await runTestbed('image', await makeImageRoot(), entrypoint, user, image);
  else if (!process.env.GATEWRIGHT_IMAGE) throw new Error('GATEWRIGHT_IMAGE: name the image that the cluster can pull');
  await installDefinitions(cluster);
  const deployment = ['-n', 'gatewright-system', 'deployment', 'gatewright'];
  const former = await cluster.kubectl(['get', ...deployment, '--ignore-not-found', '-o', 'name']);
  await cluster.kubectl(['apply', '--server-side', '-f', '-'], await readManifests(config));
  // A control plane of an earlier run has an earlier image under the same name.
  if (former) await cluster.kubectl(['rollout', 'restart', ...deployment]);
  await cluster.kubectl(['rollout', 'status', ...deployment, `--timeout=${deadlineMs}ms`]);
}

/** By the script that users run. */
async function installDefinitions({ kubeconfig }: Cluster): Promise<void> {
  const path = existsSync(join(kubernetesDir(), 'kubectl'))
    ? `${kubernetesDir()}:${process.env.PATH}`
    : process.env.PATH;
  const env = { KUBECONFIG: kubeconfig, PATH: path ?? '', DEFINITIONS: join(dirname(crdDir('standard')), 'standard') };
  await shell(join(root, 'crds/install'), ['standard'], { env, messages: 'inherit' });
}

const firstLine = /^( +)controllerName: .+\n/m;

async function readManifests(config?: string): Promise<string> {
  const text = (await readFile(manifests, 'utf8')).replaceAll(image, process.env.GATEWRIGHT_IMAGE || image);
  if (config === undefined) return text;
  if (!firstLine.test(text)) throw new Error(`${manifests} has no configuration to add to`);
  return text.replace(firstLine, (line, indent) => `${line}${indent}${config}\n`);
}
