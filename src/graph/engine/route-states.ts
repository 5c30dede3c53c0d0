import {
  type KindName,
  type KubernetesObject,
  keyOf,
  type RouteParentStatus,
  type RouteState,
  routeState,
  type Status,
} from '../../gateway-api/index.ts';

/** How many routes are in each state that is not `served`. */
export type RouteStateCounts = Readonly<Record<Exclude<RouteState, 'served'>, number>>;

/** What of the stored status is looked at: what other controllers say of the route. */
interface StoredStatus {
  readonly parents?: readonly RouteParentStatus[];
}

/** Counts of routes by state, corrected with each change; memory is for those that are not served. */
export class RouteStates {
  readonly #controllerName: string;
  readonly #unserved = new Map<string, Exclude<RouteState, 'served'>>();
  readonly #counts = { degraded: 0, failed: 0 };

  constructor(controllerName: string) {
    this.#controllerName = controllerName;
  }

  get counts(): RouteStateCounts {
    return { ...this.#counts };
  }

  /** The route is as it is given, with the status that we want it to have. */
  put(kind: KindName, route: KubernetesObject, status: Status | undefined): void {
    const ours = status !== undefined && 'parents' in status ? status.parents : [];
    const { parents = [] } = (route.status ?? {}) as StoredStatus;
    const others = parents.filter(({ controllerName }) => controllerName !== this.#controllerName);
    const state = routeState(others.length === 0 ? ours : [...ours, ...others]);
    // At a start, all of them, for each of which the place would be made and looked for.
    if (state !== 'served' || this.#unserved.size > 0) this.#set(`${kind} ${keyOf(route)}`, state);
  }

  /** It is gone. */
  remove(kind: KindName, key: string): void {
    this.#set(`${kind} ${key}`, 'served');
  }

  #set(place: string, state: RouteState): void {
    const before = this.#unserved.get(place);
    if (before === state || (before === undefined && state === 'served')) return;
    if (before) this.#counts[before] -= 1;
    if (state === 'served') this.#unserved.delete(place);
    else {
      this.#unserved.set(place, state);
      this.#counts[state] += 1;
    }
  }
}
