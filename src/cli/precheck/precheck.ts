import { AuthorizationV1Api, CustomObjectsApi, type KubeConfig, VersionApi } from '@kubernetes/client-node';
import { type Kind, kinds, ownGroup } from '../../gateway-api/index.ts';
import { CliError } from '../kit/cli-error.ts';
import { checkInstalling, checkRunning } from './check-rights.ts';
import { classFindings, ingressClassFindings } from './class-findings.ts';
import type { Finding } from './finding.ts';
import type { InstallScope } from './rights.ts';

/** The definitions carry their release and channel as annotations. Source: Gateway API, "Versioning". */
const bundle = 'gateway.networking.k8s.io/bundle-version';
const channel = 'gateway.networking.k8s.io/channel';

/** Older API servers lack CEL functions that the Gateway API's definitions are written with. */
const oldestMinor = 31;
const bundleWeKnow = /^v1\.(?:[5-9]|\d\d)\./;

/** Without these nothing can be served; the others are features that are off while their kind is missing. */
const needed: ReadonlySet<string> = new Set(['GatewayClass', 'Gateway', 'HTTPRoute', 'ReferenceGrant']);

interface Definition {
  readonly metadata: { readonly name: string; readonly annotations?: Readonly<Record<string, string>> };
  readonly spec: { readonly versions: readonly { readonly name: string; readonly served: boolean }[] };
}

/** The way to install that is looked at. */
export interface CheckedInstall extends InstallScope {
  /** The user is the control plane, and not the person who installs. */
  readonly isRunning: boolean;
}

/** Looks whether Gatewright can be installed in the cluster in this way, and what of it would work. Changes nothing. */
export async function precheck(config: KubeConfig, install: CheckedInstall): Promise<readonly Finding[]> {
  const server = config.getCurrentCluster()?.server ?? '';
  const version = await config
    .makeApiClient(VersionApi)
    .getCode()
    .catch((error: Error) => {
      throw new CliError(`cannot reach the API server ${server}: ${error.message.split('\n')[0]}`);
    });
  const rights = config.makeApiClient(AuthorizationV1Api);
  // It may not look at definitions, and has no need to.
  if (install.isRunning) return await checkRunning(rights, install);
  const objects = config.makeApiClient(CustomObjectsApi);
  const definitions = await definitionsOf(objects);
  return [
    versionFinding(version.gitVersion, Number.parseInt(version.minor, 10)),
    ...definitionFindings(definitions),
    ...(areClassesDefined(definitions) ? await classFindings(objects) : []),
    ...(await ingressClassFindings(objects)),
    ...(await checkInstalling(rights, install)),
  ];
}

function versionFinding(version: string, minor: number): Finding {
  if (minor >= oldestMinor) return { level: 'ok', what: `Kubernetes ${version}` };
  return { level: 'error', what: `Kubernetes ${version} is too old`, remedy: `upgrade to 1.${oldestMinor} or newer` };
}

async function definitionsOf(objects: CustomObjectsApi): Promise<readonly Definition[] | Error> {
  try {
    const list = await objects.listClusterCustomObject({
      group: 'apiextensions.k8s.io',
      version: 'v1',
      plural: 'customresourcedefinitions',
    });
    return (list as { readonly items: readonly Definition[] }).items;
  } catch (error) {
    return error as Error;
  }
}

function definitionFindings(definitions: readonly Definition[] | Error): Finding[] {
  if (definitions instanceof Error) {
    const remedy = 'ask an administrator who may list customresourcedefinitions';
    return [{ level: 'error', what: 'the installed definitions cannot be listed', remedy }];
  }
  const ours = Object.values<Kind>(kinds).filter(
    ({ group }) => group === ownGroup || group.startsWith('gateway.networking.'),
  );
  const missing = ours.filter(({ group, version, formerVersions = [], plural }) => {
    const found = definitions.find(({ metadata }) => metadata.name === `${plural}.${group}`);
    return !found?.spec.versions.some((each) => [version, ...formerVersions].includes(each.name) && each.served);
  });
  const gateways = definitions.find(({ metadata }) => metadata.name === 'gateways.gateway.networking.k8s.io');
  return [
    ...(gateways ? [bundleFinding(gateways)] : []),
    ...missingFinding(
      'error',
      missing.filter(({ name }) => needed.has(name)),
      'apply the definitions of the Gateway API (crds/install --gateway-api)',
    ),
    ...missingFinding(
      'warning',
      missing.filter(({ name }) => !needed.has(name)),
      'what they are for is off until they are; nothing has to be restarted then',
    ),
  ];
}

function missingFinding(level: Finding['level'], missing: readonly Kind[], remedy: string): Finding[] {
  if (missing.length === 0) return [];
  const names = missing.map(({ name, version }) => `${name} ${version}`).join(', ');
  return [{ level, what: `not installed: ${names}`, remedy }];
}

function bundleFinding({ metadata: { annotations = {} } }: Definition): Finding {
  const [release = 'of an unknown release', from = 'unknown'] = [annotations[bundle], annotations[channel]];
  const what = `Gateway API ${release}, ${from} channel`;
  if (bundleWeKnow.test(release)) return { level: 'ok', what };
  return {
    level: 'warning',
    what: `${what}: not a release we know`,
    remedy: 'install v1.7.0, or expect fields to be missing',
  };
}

const areClassesDefined = (definitions: readonly Definition[] | Error): boolean =>
  !(definitions instanceof Error) && definitions.some(({ metadata }) => metadata.name.startsWith('gatewayclasses.'));

const marks = { ok: 'ok     ', warning: 'warning', error: 'error  ' } as const;

export const precheckText = (findings: readonly Finding[]): string =>
  findings
    .map(({ level, what, remedy }) => `${marks[level]}  ${what}${remedy === undefined ? '' : `\n         → ${remedy}`}`)
    .join('\n');
