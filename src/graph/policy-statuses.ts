import type { PolicyKindName, Status } from '../gateway-api/index.ts';
import { backendPolicyStatus, heedsTuning } from './backend-policy.ts';
import { policyStatus, servicesOf } from './backend-tls-policy.ts';
import { heedsPolicies, splitBackendKey } from './backends/backend-ref.ts';
import type { UsedBackends } from './backends/used-backends.ts';
import type { StatusBook } from './engine/status-book.ts';
import type { Store } from './engine/store.ts';
import type { Gateways } from './gateways/gateways.ts';
import type { SnapshotState } from './hosts/snapshot-state.ts';
import { listenerPolicyStatus } from './listener-policy.ts';
import { combineFaults, type Fault } from './model/condition.ts';
import { targetsOf } from './policy-targets.ts';
import { withRefusal } from './quarantine/refused-backends.ts';
import type { References } from './references.ts';
import { trafficPolicyStatus } from './traffic-policy.ts';
import { xBackendOwner } from './x-backend.ts';
import { xBackendStatus } from './x-backend-status.ts';

export interface PolicySurroundings {
  readonly store: Store;
  readonly references: References;
  readonly statuses: StatusBook;
  readonly state: SnapshotState;
  readonly gateways: Gateways;
  readonly backends: UsedBackends;
  readonly controllerName: string;
}

interface Policy {
  readonly status?: { readonly ancestors?: readonly { readonly controllerName: string }[] };
}

/** The statuses of what speaks of others, Gateway by Gateway: policies and XBackends. */
export class PolicyStatuses {
  readonly #around: PolicySurroundings;

  constructor(around: PolicySurroundings) {
    this.#around = around;
  }

  settleBackendTls(key: string): void {
    const { store, references, controllerName } = this.#around;
    const policy = store.find('BackendTLSPolicy', key);
    const backends = this.#heeding(policy ? servicesOf(policy) : []);
    const gateways = this.#around.backends.gatewaysOf(backends);
    const wished = policy && policyStatus(policy, gateways, controllerName, references.policies, store);
    const status = wished && withRefusal(wished, this.#refusalOf(backends));
    this.#set('BackendTLSPolicy', key, policy, gateways, status);
  }

  settleTraffic(key: string): void {
    const { store, references, controllerName } = this.#around;
    const policy = store.find('XBackendTrafficPolicy', key);
    const gateways = this.#gatewaysUsing(policy ? targetsOf(policy) : []);
    const status = policy && trafficPolicyStatus(policy, gateways, controllerName, references.trafficPolicies, store);
    this.#set('XBackendTrafficPolicy', key, policy, gateways, status);
  }

  settleBackend(key: string): void {
    const { store, references, state, controllerName } = this.#around;
    const policy = store.find('BackendPolicy', key);
    const keys = this.#around.backends.of(policy ? targetsOf(policy) : []).filter(heedsTuning);
    const gateways = this.#around.backends.gatewaysOf(keys);
    const backends = keys.flatMap((backend) => state.backend(backend) ?? []);
    const wished =
      policy && backendPolicyStatus(policy, { gateways, backends }, controllerName, references.backendPolicies, store);
    const status = wished && withRefusal(wished, this.#refusalOf(keys));
    this.#set('BackendPolicy', key, policy, gateways, status);
  }

  settleListener(key: string): void {
    const { store, gateways, controllerName } = this.#around;
    const policy = store.find('ListenerPolicy', key);
    const outcomes = gateways.outcomesOf(key);
    const status = policy && listenerPolicyStatus(policy, outcomes, controllerName);
    this.#set('ListenerPolicy', key, policy, [...outcomes.keys()], status);
  }

  settleXBackend(key: string): void {
    const { store, controllerName } = this.#around;
    const object = store.find('XBackend', key);
    const gateways = this.#gatewaysUsing([xBackendOwner(key)]);
    const status = object && xBackendStatus(object, gateways, controllerName, store);
    this.#set('XBackend', key, object, gateways, status);
  }

  /** The Gateways that speak to backends of these owners in a way that is open to policies. */
  #gatewaysUsing(owners: readonly string[]): string[] {
    return this.#around.backends.gatewaysOf(this.#heeding(owners));
  }

  #heeding(owners: readonly string[]): string[] {
    return this.#around.backends.of(owners).filter((backend) => heedsPolicies(splitBackendKey(backend)));
  }

  /** By Gateway: what its proxies refuse of the backends. */
  #refusalOf(keys: readonly string[]): (gateway: string) => Fault | undefined {
    const { backends, gateways } = this.#around;
    const faults = keys.flatMap((backend) => backends.refused.get(backend) ?? []);
    if (faults.length === 0) return () => undefined;
    return (gateway) => {
      const fleet = gateways.find(gateway)?.fleet ?? gateway;
      return combineFaults(faults.flatMap((each) => each.get(fleet) ?? []));
    };
  }

  /** An entry of ours in the stored status has to be taken away when no Gateway of ours is concerned any more. */
  #set(
    kind: PolicyKindName,
    key: string,
    object: Policy | undefined,
    gateways: readonly string[],
    status: Status | undefined,
  ): void {
    const { statuses, controllerName } = this.#around;
    const hadStatus = object?.status?.ancestors?.some((ancestor) => ancestor.controllerName === controllerName);
    statuses.set(kind, key, gateways.length > 0 || hadStatus ? status : undefined);
  }
}
