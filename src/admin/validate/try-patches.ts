import { type KindName, type KubernetesObject, keyOf } from '../../gateway-api/index.ts';
import { policyOfPatch } from '../../ir/index.ts';
import { inTurns } from '../../std/steps/index.ts';
import { type EnvoyResource, Translator, type Trial } from '../../translate/index.ts';
import type { TrialAnswer, Trier } from '../../xds/index.ts';
import { onlyCopy } from '../diff/one-copy.ts';
import type { AdminSources } from '../sources.ts';
import type { PatchTrialRecord } from './record.ts';

type Sources = Pick<AdminSources, 'graph' | 'now' | 'triersOf'>;

/** Of one patch at one fleet: it may be for many backends, each of which is tried. */
const mostResources = 16;
/** Envoys of more versions are not asked. */
const mostVersions = 3;

/** What is to be tried of a patch at one fleet. */
interface Place {
  readonly policy: string;
  readonly gateway: string;
  readonly trials: readonly Trial[];
}

/**
 * Has proxies that are connected here try the proposed EnvoyPatches as their own agents would before they serve them: one proxy of each version of Envoy, at
 * all Gateways concerned. Nothing of it reaches an Envoy that serves. Ends after `timeoutMs` and what it takes to resolve a copy of everything.
 */
export async function tryPatches(
  sources: Sources,
  objects: readonly KubernetesObject[],
  timeoutMs: number,
): Promise<readonly PatchTrialRecord[]> {
  const policies = objects.filter(({ kind }) => kind === 'EnvoyPatch').map(keyOf);
  if (policies.length === 0) return [];
  const places = await onlyCopy(sources.graph, async () => await placesOf(sources, objects, policies));
  if (places === undefined) return policies.map((policy) => nowhere(policy, 'another proposal is compared: ask again'));
  const deadline = Date.now() + timeoutMs;
  const tried: PatchTrialRecord[] = [];
  for (const place of places) tried.push(...(await tryAt(place, sources.triersOf(place.gateway), deadline)));
  const idle = policies.filter((policy) => !places.some((place) => place.policy === policy));
  return [...tried, ...idle.map((policy) => nowhere(policy, 'it changes nothing that proxies have'))];
}

const nowhere = (policy: string, message: string): PatchTrialRecord => ({
  policy,
  gateway: null,
  nodeId: null,
  envoyVersion: null,
  verdict: 'untried',
  message,
});

/** What would change for proxies if the objects were there, as far as it has to be tried for the policies. */
async function placesOf(
  { graph, now }: Sources,
  objects: readonly KubernetesObject[],
  policies: readonly string[],
): Promise<Place[]> {
  const copy = await inTurns(graph.copy(now()));
  for (const object of objects) copy.upsert(object.kind as KindName, object as never);
  const { snapshot, changes } = copy.build(now());
  const changed = await inTurns(new Translator(copy.userCode).translating(snapshot, changes));
  return changed.flatMap(({ gateway, upserts }) =>
    policies.flatMap((policy) => {
      const trials = upserts.flatMap((resource) => trialsOf(resource, policy)).slice(0, mostResources);
      return trials.length > 0 ? [{ policy, gateway, trials }] : [];
    }),
  );
}

const trialsOf = ({ provenance }: EnvoyResource, policy: string): readonly Trial[] =>
  provenance?.trials?.().filter(({ origin }) => policyOfPatch(origin.key) === policy) ?? [];

async function tryAt({ policy, gateway, trials }: Place, triers: readonly Trier[], deadline: number) {
  const ofEachVersion = [...Map.groupBy(triers, ({ envoyVersion }) => envoyVersion).values()].flatMap(
    ([first]) => first ?? [],
  );
  if (ofEachVersion.length === 0)
    return [{ ...nowhere(policy, `no agent of Gateway ${gateway} is connected to this control plane`), gateway }];
  return await Promise.all(
    ofEachVersion.slice(0, mostVersions).map(async (trier): Promise<PatchTrialRecord> => {
      const { nodeId, envoyVersion } = trier;
      const answer = await verdictOn(trials, (contents) => askBy(trier, contents, deadline));
      return { policy, gateway, nodeId, envoyVersion, ...answer };
    }),
  );
}

async function askBy(trier: Trier, contents: readonly EnvoyResource[], deadline: number): Promise<TrialAnswer> {
  const left = deadline - Date.now();
  return left > 0 ? await trier.ask(contents, left) : { verdict: 'untried', message: 'the time for trials is over' };
}

type Ask = (contents: readonly EnvoyResource[]) => Promise<TrialAnswer>;

/** Resources are tried together where they are one configuration; what is wrong with one of them counts. */
async function verdictOn(trials: readonly Trial[], ask: Ask): Promise<TrialAnswer> {
  const contents = trials.map((trial) => trial.content());
  const areApart = new Set(contents.map(({ typeUrl, name }) => `${typeUrl} ${name}`)).size === contents.length;
  if (contents.length > 1 && areApart) {
    const together = await ask(contents);
    if (together.verdict !== 'rejected') return together;
  }
  let last: TrialAnswer = { verdict: 'valid', message: '' };
  for (const trial of trials) {
    last = await alone(trial, ask);
    if (last.verdict !== 'valid') return last;
  }
  return last;
}

/** Envoy may have something against the resource that is not the patch's. */
async function alone(trial: Trial, ask: Ask): Promise<TrialAnswer> {
  const answer = await ask([trial.content()]);
  const control = answer.verdict === 'rejected' ? trial.control?.() : undefined;
  if (!control) return answer;
  const without = await ask([control]);
  if (without.verdict === 'valid') return answer;
  const message = `Envoy says the same of the resource without it: ${answer.message}`;
  return { verdict: 'untried', message: without.verdict === 'rejected' ? message : without.message };
}
