import type { KubernetesObject } from '../../gateway-api/index.ts';
import type { ManifestReader } from '../../sources/index.ts';
import { inTurns } from '../../std/steps/index.ts';
import { HttpError } from '../http/index.ts';
import { clusterScope } from '../managed-resources/managed-kinds.ts';
import { manifestOf } from '../managed-resources/manifest.ts';
import type { ResourceStore } from '../managed-resources/resource-store.ts';
import { parseManifestText } from '../resource/read-body.ts';
import type { AdminSources } from '../sources.ts';
import type { PatchTrialRecord, ProposalReport, ProposedObject } from './record.ts';
import { tryObjects } from './trial-graph.ts';
import { tryPatches } from './try-patches.ts';

/** These say nothing about the object. */
const untryable: ReadonlySet<string> = new Set([
  'cluster_forbidden',
  'cluster_unavailable',
  'directory_unavailable',
  'not_ready',
]);

/** A trial takes a tenth of a second of a processor, and gives way to all others. */
export const defaultTrialMs = 10_000;

/** More objects are not tried at once. */
export const mostProposed = 50;

/**
 * Tries manifests in YAML or JSON and changes nothing: schema and rules by the dry run of where resources are kept, then whether the
 * graph would accept them. All faults are reported, for the user who corrects them. Throws a 400 for what is nested deeper than any object is.
 */
export async function validateProposal(
  text: string,
  {
    sources,
    store,
    reader,
    trialMs = defaultTrialMs,
  }: {
    readonly sources: AdminSources;
    readonly store: ResourceStore;
    readonly reader: ManifestReader;
    /** How long trials of patches may take. */
    readonly trialMs?: number;
  },
): Promise<ProposalReport> {
  const parsed = await parseManifestText(text, reader);
  const errors = parsed.errors.map(({ line, column, message }) => `line ${line}:${column}: ${message}`);
  if (parsed.values.length === 0 && errors.length === 0) errors.push('there is no object in it');
  if (parsed.values.length > mostProposed) errors.push(`more than ${mostProposed} objects at once`);
  const passed: { readonly object: KubernetesObject; readonly record: ProposedObject }[] = [];
  for (const value of parsed.values.slice(0, mostProposed)) {
    try {
      passed.push(await dryRun(value, store, reader));
    } catch (error) {
      if (!(error instanceof HttpError) || untryable.has(error.code)) throw error;
      errors.push(...textsOf(error));
    }
  }
  const { graph, controllerName, now } = sources;
  const objects = passed.map(({ object }) => object);
  const verdicts = await inTurns(tryObjects(graph, objects, { controllerName, now: now() }));
  const warnings: string[] = [];
  for (const [index, verdict] of verdicts.entries()) {
    const { kind = '', namespace = '', name = '' } = passed[index]?.record ?? {};
    const named = (texts: readonly string[]) => texts.map((text) => `${kind} ${namespace}/${name}: ${text}`);
    errors.push(...named(verdict.errors));
    warnings.push(...named(verdict.warnings));
  }
  // What is wrong otherwise is not sent to proxies, not even to be tried.
  const trials = errors.length === 0 ? await tryPatches(sources, objects, trialMs) : [];
  errors.push(...trials.filter(({ verdict }) => verdict === 'rejected').map(rejectedText));
  warnings.push(...trials.filter(({ verdict }) => verdict === 'untried').map(untriedText));
  return { valid: errors.length === 0, errors, warnings, objects: passed.map(({ record }) => record), trials };
}

const rejectedText = ({ policy, nodeId, envoyVersion, message }: PatchTrialRecord): string =>
  `EnvoyPatch ${policy}: Envoy ${envoyVersion} of proxy ${nodeId} would reject it: ${message}`;

const untriedText = ({ policy, nodeId, message }: PatchTrialRecord): string =>
  `EnvoyPatch ${policy}: not tried${nodeId === null ? '' : ` by proxy ${nodeId}`}: ${message}`;

async function dryRun(value: unknown, store: ResourceStore, reader: ManifestReader) {
  const { operation, before, after } = await store.apply(manifestOf(value), { dryRun: true, force: true });
  const { kind, metadata } = after.object;
  const record: ProposedObject = {
    kind,
    namespace: metadata.namespace ?? clusterScope,
    name: metadata.name,
    operation: operation as ProposedObject['operation'],
    before: before === undefined ? '' : await yamlOf(before.object, reader),
    after: await yamlOf(after.object, reader),
  };
  return { object: after.object, record };
}

/** What users write of an object. */
async function yamlOf({ status: _, metadata, ...rest }: KubernetesObject, reader: ManifestReader): Promise<string> {
  const { name, namespace, labels, annotations } = metadata;
  const { apiVersion, kind, ...body } = rest;
  const shown = {
    name,
    ...(namespace && { namespace }),
    ...(labels && { labels }),
    ...(annotations && { annotations }),
  };
  return await reader.write({ apiVersion, kind, metadata: shown, ...body }, { aliasDuplicateObjects: false });
}

/** The message, and the causes that it does not have in it already. */
function textsOf({ message, details }: HttpError): string[] {
  const more = details.filter((detail) => !message.includes(detail.message));
  return [message, ...more.map(({ path, message: cause }) => `${path}: ${cause}`)];
}
