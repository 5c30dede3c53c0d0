import { aiServiceStatus } from './ai/ai-status.ts';
import { tokenPolicyStatus } from './ai/token-policy.ts';
import { dataPlaneStatus } from './data-plane-status.ts';
import type { StatusBook } from './engine/status-book.ts';
import type { Store } from './engine/store.ts';
import { servesClass } from './gateways/gateway-class.ts';
import type { Gateways } from './gateways/gateways.ts';
import type { References } from './references.ts';

export interface PlainStatusSurroundings {
  readonly store: Store;
  readonly references: References;
  readonly statuses: StatusBook;
  readonly gateways: Gateways;
  readonly controllerName: string;
}

/** The statuses that are one controller's: they say nothing of single Gateways. */
export class PlainStatuses {
  readonly #around: PlainStatusSurroundings;

  constructor(around: PlainStatusSurroundings) {
    this.#around = around;
  }

  settleDataPlane(key: string): void {
    const { store, references, statuses, gateways, controllerName } = this.#around;
    const object = store.find('DataPlane', key);
    const classes = [...references.classesByDataPlane.sourcesOf(key)];
    const isNamed = classes.some((name) => servesClass(store.find('GatewayClass', name), controllerName));
    const use = { controllerName, gateways: gateways.countOf(key), isNamed };
    statuses.set('DataPlane', key, object && dataPlaneStatus(object, use));
  }

  settleAiService(key: string): void {
    const { store, statuses, controllerName } = this.#around;
    const object = store.find('AIService', key);
    const status = object && this.#isOurs(object) ? aiServiceStatus(object, controllerName, store) : undefined;
    statuses.set('AIService', key, status);
  }

  settleTokenPolicy(key: string): void {
    const { store, statuses, controllerName } = this.#around;
    const object = store.find('TokenPolicy', key);
    const status = object && this.#isOurs(object) ? tokenPolicyStatus(object, controllerName, store) : undefined;
    statuses.set('TokenPolicy', key, status);
  }

  /** Ours, or nobody's yet. */
  #isOurs({ status }: { readonly status?: { readonly controllerName?: string } }): boolean {
    const { controllerName } = this.#around;
    return (status?.controllerName ?? controllerName) === controllerName;
  }
}
