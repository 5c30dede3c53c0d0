/**
 * What installs Gatewright and is made from something else, so that each thing is written down once: rights in rbac/,
 * our resource definitions in crds/, the configuration and everything else in manifests/.
 */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parse, parseAllDocuments, stringify } from 'yaml';
import { root } from '../paths.mjs';
import { type NarrowConfig, narrowConfig, narrowRoles } from './narrow-roles.ts';
import { valuesTable } from './values-table.ts';

const made = '# Made by `npm run generate`';

/** The committed files, by path, with what makes them. */
export const packagingFiles = (): Readonly<Record<string, () => Promise<string>>> => ({
  // Without an ending, for programs take every YAML file of that folder for a definition.
  'crds/Kustomization': async () => crdsKustomization(),
  'manifests/install.yaml': async () => installYaml(),
  ...narrowFiles(),
  'charts/gatewright/files/base.yaml': async () => chartBase(),
  'charts/gatewright/files/config.yaml': async () => chartConfig(),
  'charts/gatewright/files/people-roles.yaml': async () =>
    `${made} from rbac/people-roles.yaml.\n${read(peopleRolesPath)}`,
  'charts/gatewright/README.md': async () => valuesTable(),
  ...Object.fromEntries(
    definitionFiles().map((name) => [
      `charts/gatewright-crds/files/${name}`,
      async () => `${made} from crds/${name}.\n${read('crds', name)}`,
    ]),
  ),
});

/** The namespaces that the overlays are written for, to be exchanged for others. */
const namespaces = ['team-a', 'team-b'];
const proxiesNamespace = 'gatewright-system';

/** What narrower installs have in place of files of the base. */
function narrowFiles(): Readonly<Record<string, () => Promise<string>>> {
  const roles = (names: readonly string[]) => async () =>
    `${made} from rbac/control-plane.yaml.\n${narrowRoles(read('rbac/control-plane.yaml'), names)}`;
  const config = (narrow: NarrowConfig) => async () =>
    `${made} from manifests/20-config.yaml.\n${narrowConfig(read('manifests/20-config.yaml'), narrow)}`;
  return {
    'rbac/namespaced/reader/roles.yaml': roles(['gatewright-reader', 'gatewright-status-writer']),
    'rbac/namespaced/proxies/roles.yaml': roles(['gatewright-infrastructure-writer']),
    'overlays/namespaced/config.yaml': config({ namespaces }),
    'overlays/system-proxies/config.yaml': config({ proxiesNamespace }),
    'overlays/namespaced-system-proxies/config.yaml': config({ namespaces, proxiesNamespace }),
  };
}

const read = (...path: string[]): string => readFileSync(join(root, ...path), 'utf8');

/** Our own definitions; those of the Gateway API are not committed. */
const definitionFiles = (): string[] =>
  readdirSync(join(root, 'crds'))
    .filter((name) => name.endsWith('.yaml'))
    .sort();

function crdsKustomization(): string {
  const head = { apiVersion: 'kustomize.config.k8s.io/v1beta1', kind: 'Kustomization' };
  return `${made} from what is in this folder.\n${stringify({ ...head, resources: definitionFiles() })}`;
}

/** The whole base in one file. */
function installYaml(): string {
  const head = `${made} from manifests/kustomization.yaml. To install: kubectl apply --server-side -f install.yaml`;
  const texts = baseFiles('manifests').map((path) => read(path).trimEnd());
  return `${head}\n${texts.map((text) => `---\n${text}\n`).join('')}`;
}

/** Paths of the files that a kustomization names, those of its bases included, in its order. */
export function baseFiles(folder: string): string[] {
  if (folder === 'crds') return definitionFiles().map((name) => join(folder, name));
  const { resources = [] } = parse(read(folder, 'kustomization.yaml')) as { readonly resources?: readonly string[] };
  return resources.flatMap((resource) => {
    const path = join(folder, resource);
    return resource.endsWith('.yaml') ? [path] : baseFiles(path);
  });
}

/** An object of rbac/ or manifests/, as far as the chart takes something from it. */
interface BaseObject {
  readonly kind: string;
  readonly metadata: { readonly name: string };
  readonly rules: readonly object[];
  readonly spec: { readonly selector?: object; readonly ingress: readonly object[] };
  readonly data: Readonly<Record<string, string>>;
}

/** Roles that the chart brings on request, and that are a file of their own for the manifests. */
export const peopleRolesPath = 'rbac/people-roles.yaml';

/** The chart can have the control plane write managed resources; for the manifests that is a file of its own. */
export const resourceWriterFile = 'rbac/resource-writer.yaml';

/** The same of Ingresses, which the configuration switches on. */
export const ingressFile = 'rbac/ingress.yaml';

const baseObjects = (): BaseObject[] =>
  [...baseFiles('manifests'), resourceWriterFile, ingressFile].flatMap((path) =>
    parseAllDocuments(read(path)).map((document) => document.toJS() as BaseObject),
  );

/** What comes behind the release's part of a name. */
const suffixOf = ({ metadata }: BaseObject): string => metadata.name.replace(/^gatewright/, '');

/** What the chart's templates take as it is: rights, Services, and who may connect to the control plane. */
function chartBase(): string {
  const objects = baseObjects();
  const roles = objects
    .filter(({ kind }) => kind === 'ClusterRole' || kind === 'Role')
    .map((role) => ({ suffix: suffixOf(role), kind: role.kind, rules: role.rules }))
    .map((role) => (role.suffix.startsWith('-admin-') ? { ...role, forPeople: true } : role));
  const services = objects
    .filter(({ kind }) => kind === 'Service')
    .map((service) => ({ suffix: suffixOf(service), spec: { ...service.spec, selector: undefined } }));
  const ingress = objects.filter(({ kind }) => kind === 'NetworkPolicy').flatMap(({ spec }) => spec.ingress);
  return `${made} from rbac/ and manifests/.\n${stringify({ roles, services, ingress })}`;
}

/** The configuration file of the manifests, over which the chart lays what its values say. */
function chartConfig(): string {
  const { data } = parse(read('manifests/20-config.yaml')) as BaseObject;
  return `${made} from manifests/20-config.yaml.\n${data['config.yaml']}`;
}
