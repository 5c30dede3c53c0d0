import {
  type Condition,
  type KindName,
  type KindNameOfForm,
  type KubernetesObject,
  maxAncestors,
  type PolicyAncestorStatus,
  type PolicyKindName,
  parseObjectKey,
  type Status,
} from '../../gateway-api/index.ts';
import { each, type Steps } from '../../std/steps/index.ts';
import { compareText } from '../model/index.ts';
import type { Dirty } from './dirty.ts';
import type { AnyStatusRule, GatewayConditions, KindModules, StatusContext } from './kind-module.ts';
import { type Mishaps, withMishap } from './mishaps.ts';
import type { StatusBook } from './status-book.ts';

/** What of the stored status says whose it is. */
interface StoredStatus {
  readonly controllerName?: string;
  readonly ancestors?: readonly { readonly controllerName: string }[];
  readonly parents?: readonly { readonly controllerName?: string }[];
}

/** The statuses that kinds have by a rule of their own, and by no stage of the build. */
export class ObjectStatuses {
  readonly #kinds: KindModules;
  readonly #statuses: StatusBook;
  readonly #mishaps: Mishaps;
  readonly #context: StatusContext;

  constructor(kinds: KindModules, statuses: StatusBook, mishaps: Mishaps, context: StatusContext) {
    this.#kinds = kinds;
    this.#statuses = statuses;
    this.#mishaps = mishaps;
    this.#context = context;
  }

  /** Gives each object that is marked its status. */
  *resolve(dirty: Dirty): Steps<void> {
    for (const [kind, keys] of dirty.statuses) yield* each(keys, (key) => this.#resolve(kind, key));
  }

  #resolve(kind: KindName, key: string): void {
    const object = this.#context.store.find(kind, key);
    const make = () => object && this.#statusOf(kind, key, object);
    const former = () => this.#statuses.find(kind, key);
    const status = this.#mishaps.during(`status ${kind} ${key}`, () => this.#mishaps.guard(kind, key, make, former));
    const isHit = object !== undefined && this.#mishaps.has(kind, key);
    this.#statuses.set(kind, key, isHit ? this.#withMishap(kind, object, status) : status);
  }

  /** A policy that no Gateway of ours is known to be affected by has no place to say it. */
  #withMishap(kind: KindName, object: KubernetesObject, status: Status | undefined): Status | undefined {
    const { controllerName } = this.#context;
    const isPlain = this.#kinds[kind].status.shape === 'conditions' && this.#isOurs(object);
    const own = isPlain ? ({ kind, controllerName, conditions: [] } as unknown as Status) : undefined;
    const known = status ?? own;
    return known && withMishap(known, object.metadata.generation ?? 0);
  }

  #statusOf(kind: KindName, key: string, object: KubernetesObject): Status | undefined {
    const rule = this.#kinds[kind].status as AnyStatusRule;
    if (rule.shape === 'ancestors')
      return this.#ancestors(kind, object, rule.of(object, key, this.#context), rule.rest?.(key));
    if (rule.shape === 'gateways') return this.#parents(kind, object, rule.of(object, key, this.#context));
    if (rule.shape !== 'conditions' || !this.#isOurs(object)) return undefined;
    const status = rule.of(object, key, this.#context);
    return status && ({ kind, controllerName: this.#context.controllerName, ...status } as Status);
  }

  /** An entry of ours in the stored status has to be taken away when the object affects no Gateway of ours any more. */
  #ancestors(
    kind: KindName,
    { status }: KubernetesObject,
    gateways: GatewayConditions,
    rest: string | undefined,
  ): Status | undefined {
    const { controllerName } = this.#context;
    const hadStatus = (status as StoredStatus | undefined)?.ancestors?.some(
      (ancestor) => ancestor.controllerName === controllerName,
    );
    if (gateways.size === 0 && !hadStatus) return undefined;
    const policy = kind as PolicyKindName;
    const most = maxAncestors[policy];
    const sorted = [...gateways].sort(([a], [b]) => compareText(a, b));
    const ancestors = sorted.slice(0, most).map(
      ([gateway, conditions], index): PolicyAncestorStatus => ({
        ancestorRef: gatewayRef(gateway),
        controllerName,
        conditions: index === most - 1 ? withRest(conditions, sorted.length - most, rest) : conditions,
      }),
    );
    return { kind: policy, ancestors };
  }

  /** Sorted, and no more than fit. */
  #parents(kind: KindName, { status }: KubernetesObject, gateways: GatewayConditions): Status | undefined {
    const { controllerName } = this.#context;
    const entries = (status as StoredStatus | undefined)?.parents ?? [];
    if (gateways.size === 0 && !entries.some((entry) => entry.controllerName === controllerName)) return undefined;
    const sorted = [...gateways].sort(([a], [b]) => compareText(a, b)).slice(0, mostParents);
    return {
      kind: kind as KindNameOfForm<'gateways'>,
      parents: sorted.map(([gateway, conditions]) => ({ parentRef: gatewayRef(gateway), controllerName, conditions })),
    };
  }

  /** Ours, or no controller's yet. */
  #isOurs({ status }: KubernetesObject): boolean {
    const { controllerName } = this.#context;
    return ((status as StoredStatus | undefined)?.controllerName ?? controllerName) === controllerName;
  }
}

/** Source: InferencePoolStatus.parents. */
const mostParents = 32;

const gatewayRef = (gateway: string) => ({
  group: 'gateway.networking.k8s.io',
  kind: 'Gateway',
  ...parseObjectKey(gateway),
});

/** The last entry of a full status says that there are more. */
function withRest(conditions: readonly Condition[], count: number, listed: string | undefined): readonly Condition[] {
  if (count <= 0) return conditions;
  const more = `and ${count} more Gateway${count === 1 ? '' : 's'}${listed === undefined ? '' : `, see ${listed}`}`;
  return conditions.map((condition, index) => {
    const { message } = condition;
    return index > 0 ? condition : { ...condition, message: message === '' ? more : `${message}; ${more}` };
  });
}
