import { keyOf, type ObjectByKind, objectKey, ownGroup } from '../../gateway-api/index.ts';
import type { Lookup, StoredObjects } from '../../graph/engine/index.ts';
import { type BackendRefSpec, type BackendUser, backendKey, type ResolvedBackend } from '../../graph/model/index.ts';
import type * as ir from '../../ir/index.ts';
import { budgetHeadersOf } from '../ai/index.ts';
import {
  type AiServiceObject,
  canServe,
  firstTokenMs,
  keyOfAiService,
  resolveAiReferences,
  usesOfAiService,
} from './ai-service.ts';

type BackendRef = BackendRefSpec;
type HttpRoute = ObjectByKind['HTTPRoute'];

const isAiRef = ({ group, kind }: Pick<BackendRef, 'group' | 'kind'>): boolean =>
  group === ownGroup && kind === 'AIService';

/** Where the rule of a route with AIServices leads: to a listener of the rule's own, which chooses by model. */
export const keyOfAiRoute = (namespace: string, name: string, rule: number): string =>
  backendKey(namespace, name, rule, { source: 'ai-route' });

/** Follows a backendRef to an AIService. */
export function resolveAiService(
  { name, namespace }: { readonly name: string; readonly namespace: string },
  user: BackendUser,
  store: StoredObjects,
): ResolvedBackend {
  const fault = (reason: string, message: string): ResolvedBackend => ({ fault: { reason, message } });
  if (user.kind !== 'HTTPRoute' || user.rule === undefined)
    return fault('InvalidKind', `AIService ${namespace}/${name} is for backendRefs of HTTPRoutes alone`);
  const object = store.find('AIService', objectKey(namespace, name));
  if (!object) return fault('BackendNotFound', `AIService ${namespace}/${name} does not exist`);
  const { route, index } = user.rule;
  return {
    key: keyOfAiRoute(user.namespace, route, index),
    uses: stepsFrom(object, store).flatMap((step) => usesOfAiService(step, store)),
  };
}

/** A service and those that it falls back to, as far as they are there. */
function stepsFrom(object: AiServiceObject, store: StoredObjects): AiServiceObject[] {
  const names = new Set([object.metadata.name, ...(object.spec.fallback ?? []).map(({ name }) => name)]);
  return [...names].flatMap((name) => store.find('AIService', objectKey(object.metadata.namespace ?? '', name)) ?? []);
}

/** What chooses by model for one rule. Undefined: the rule is gone, or has no AIServices any more. */
export function aiRouteBackend(
  key: string,
  { namespace, name, rule }: { readonly namespace: string; readonly name: string; readonly rule: number },
  lookup: Lookup,
): ir.Backend | undefined {
  const { store } = lookup;
  const route = store.find('HTTPRoute', objectKey(namespace, name));
  const refs = (route?.spec?.rules?.[rule]?.backendRefs ?? []).filter(isAiRef);
  if (!route || refs.length === 0) return undefined;
  const services = refs.flatMap((ref) => allowedService(ref, route, store));
  const budgetHeaders = budgetHeadersOf(
    keyOf(route),
    services.map(({ object }) => keyOf(object)),
    lookup,
  );
  return {
    key,
    kind: 'HTTPRoute',
    namespace,
    service: name,
    port: rule,
    protocol: 'http1',
    ai: {
      kind: 'route',
      source: `httproute/${keyOf(route)}`,
      choices: choicesOf(services, store),
      listing: listingOf(services.map(({ object }) => object)),
      ...(budgetHeaders && { budgetHeaders }),
    },
  };
}

/** Of services with the same name the first one's. */
function listingOf(services: readonly AiServiceObject[]): ir.AiRoute['listing'] {
  const owners = new Map<string, string>();
  for (const { spec } of services) {
    for (const { name, match, fallbackOnly } of spec.models)
      if (match !== 'Prefix' && !fallbackOnly && !owners.has(name)) owners.set(name, spec.provider);
  }
  return [...owners].map(([id, ownedBy]) => ({ id, ownedBy }));
}

interface WeightedService {
  readonly object: AiServiceObject;
  readonly weight: number;
}

function allowedService(ref: BackendRef, route: HttpRoute, store: StoredObjects): WeightedService[] {
  const own = route.metadata.namespace ?? '';
  const { namespace = own, name, weight = 1 } = ref;
  const from = { group: 'gateway.networking.k8s.io', kind: 'HTTPRoute', namespace: own };
  if (weight === 0 || !store.allows({ from, to: { group: ownGroup, kind: 'AIService', namespace, name } })) return [];
  const object = store.find('AIService', objectKey(namespace, name));
  return object ? [{ object, weight }] : [];
}

/** Exact names first, then longer prefixes. Services with the same one share its requests by weight, as far as they can be asked. */
function choicesOf(services: readonly WeightedService[], store: StoredObjects): ir.AiChoice[] {
  const choices = new Map<string, { model: ir.AiChoice['model']; shares: ir.AiShare[] }>();
  for (const { object, weight } of services) {
    for (const { name, match, fallbackOnly } of object.spec.models) {
      if (fallbackOnly) continue;
      const model = { name, match: match === 'Prefix' ? ('prefix' as const) : ('exact' as const) };
      const key = `${model.match} ${name}`;
      const choice = choices.get(key) ?? { model, shares: [] };
      choices.set(key, choice);
      const steps = stepsOf(object, model, store);
      if (steps.length > 0) choice.shares.push({ weight, steps, firstTokenMs: firstTokenMs(object) });
    }
  }
  const rank = ({ model }: ir.AiChoice) => (model.match === 'exact' ? Number.POSITIVE_INFINITY : model.name.length);
  return [...choices.values()].sort((a, b) => Math.sign(rank(b) - rank(a)) || (a.model.name < b.model.name ? -1 : 1));
}

const stepsOf = (service: AiServiceObject, model: ir.AiChoice['model'], store: StoredObjects): ir.AiStep[] =>
  stepsFrom(service, store)
    .filter((step) => hasModel(step, model) && canServe(resolveAiReferences(step, store)))
    .map((step) => ({ service: keyOf(step), backend: keyOfAiService(step, store) }));

/** Whether a service answers for all that a choice is for. */
const hasModel = ({ spec }: AiServiceObject, asked: ir.AiChoice['model']): boolean =>
  spec.models.some(({ name, match }) =>
    match === 'Prefix' ? asked.name.startsWith(name) : asked.match === 'exact' && asked.name === name,
  );
