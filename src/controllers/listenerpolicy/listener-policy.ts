import { keyOf, type ObjectByKind, objectKey, parseObjectKey } from '../../gateway-api/index.ts';
import type { EdgeIndexes, GatewayConditions, ListenerOwners, Store } from '../../graph/engine/index.ts';
import {
  hasHttp3,
  revocationRemarks,
  udpPortsOf,
  whyNoCertificateHeader,
  whyNoHttp3,
  whyNoPins,
} from '../../graph/gateways/index.ts';
import {
  type ConditionFault,
  combineFaults,
  compareAge,
  conditionOf,
  describeOwner,
  type ListenerOwner,
  type PolicyOutcome,
  type ResolvedListener,
  type ResolvedPolicies,
  type ResolvedSettings,
  type SettingsOf,
} from '../../graph/model/index.ts';
import { settingsOf } from './client-settings.ts';
import { type ListenerOwnerKey, listenerOwnerKey, listenerPolicyEdges, ownerOfTarget } from './edges.ts';
import { telemetryAt } from './telemetry.ts';

type Policy = ObjectByKind['ListenerPolicy'];

/** Finds out which policy rules which listener. Source: GEP-713 on conflicts and sections. */
export function resolveListenerPolicies({ gateway, sets, edges, store }: ListenerOwners): ResolvedPolicies {
  const book = new PolicyBook(edges, store);
  const key = keyOf(gateway);
  const home = { kind: 'Gateway', namespace: gateway.metadata.namespace ?? '', name: gateway.metadata.name } as const;
  const names = (listeners: readonly { readonly name: string }[]) => listeners.map(({ name }) => name);
  book.enter(home, names(gateway.spec.listeners));
  for (const { key: set, object } of sets.values())
    book.enter({ kind: 'ListenerSet', ...parseObjectKey(set) }, names(object.spec.listeners));
  const telemetry = telemetryAt(key, edges, store);
  if (book.isEmpty && !telemetry) return { settingsOf: () => undefined, outcomesOn: () => new Map() };
  const winnerOf = ({ owner, name }: ResolvedListener) =>
    book.winner(owner, name) ?? book.winner(owner) ?? (owner.kind === 'ListenerSet' ? book.winner(home) : undefined);
  return {
    settingsOf: (listener) =>
      telemetry?.with(book.settingsOf(winnerOf(listener))) ?? book.settingsOf(winnerOf(listener)),
    outcomesOn(ports, settingsOf) {
      const remarks = new Remarks();
      const udpPorts = udpPortsOf(ports);
      for (const owners of ports) {
        const [first] = owners.values();
        const firstByHttp3 = [...owners.values()].find((member) => hasHttp3(member, settingsOf, udpPorts));
        for (const member of owners.values()) {
          const winner = member.gateway === key ? winnerOf(member) : undefined;
          if (!winner) continue;
          const fault = sharedFault(member, first as ResolvedListener, settingsOf);
          const noHttp3 = settingsOf(member)?.http3 && whyNoHttp3(member, udpPorts);
          if (fault) remarks.faults.push([winner, fault]);
          const http3Fault = firstByHttp3 && streamsFault(member, firstByHttp3, settingsOf);
          if (http3Fault) remarks.faults.push([winner, http3Fault]);
          const noHeader = settingsOf(member)?.client?.clientCertificateHeader && whyNoCertificateHeader(member);
          if (noHeader) remarks.remarks.push([winner, noHeader]);
          const noPins = settingsOf(member)?.clientPins && whyNoPins(member);
          if (noPins) remarks.remarks.push([winner, noPins]);
          for (const remark of revocationRemarks(member, settingsOf(member))) remarks.remarks.push([winner, remark]);
          if (noHttp3) remarks.remarks.push([winner, noHttp3]);
        }
      }
      return book.outcomes(remarks);
    },
  };
}

/** What is found out about policies on ports. */
class Remarks {
  readonly faults: [Policy, ConditionFault][] = [];
  readonly remarks: [Policy, string][] = [];
}

/** A client gets this limit before its listener is known, so the first listener with HTTP/3 decides. */
function streamsFault(
  member: ResolvedListener,
  first: ResolvedListener,
  settings: SettingsOf,
): ConditionFault | undefined {
  const own = settings(member)?.http3?.maxConcurrentStreams;
  if (own === undefined || own === settings(first)?.http3?.maxConcurrentStreams) return undefined;
  return {
    reason: 'Conflicted',
    message: `listeners of a port share http3.maxConcurrentStreams: what holds for listener ${member.name} on port ${member.port} is what listener ${first.name} of ${describeOwner(first.owner)} says`,
  };
}

/** The first listener of a port decides what its listeners share: all of it for HTTP, which sees one connection for all of them. */
function sharedFault(
  member: ResolvedListener,
  first: ResolvedListener,
  settings: SettingsOf,
): ConditionFault | undefined {
  const [own, ruling] = [settings(member), settings(first)];
  if (member === first || own === ruling) return undefined;
  const isHttp = member.protocol === 'HTTP';
  if (!isHttp && JSON.stringify(own?.port ?? {}) === JSON.stringify(ruling?.port ?? {})) return undefined;
  const what = isHttp
    ? 'HTTP listeners of a port are treated alike'
    : 'listeners of a port share clientIP.proxyProtocol, tcpKeepalive, and bufferBytes and acceptsPerEvent of limits';
  return {
    reason: 'Conflicted',
    message: `${what}: what holds for listener ${member.name} on port ${member.port} is what listener ${first.name} of ${describeOwner(first.owner)} says`,
  };
}

/** The policies of one Gateway while they are resolved. */
class PolicyBook {
  readonly #edges: EdgeIndexes;
  readonly #store: Store;
  /** By owner and section. */
  readonly #winners = new Map<string, Policy>();
  readonly #settings = new Map<Policy, ResolvedSettings>();
  readonly #faults = new Map<Policy, ConditionFault[]>();

  constructor(edges: EdgeIndexes, store: Store) {
    this.#edges = edges;
    this.#store = store;
  }

  get isEmpty(): boolean {
    return this.#faults.size === 0;
  }

  /** Takes in the policies of an owner, oldest first. `listeners`: names of those that it declares. */
  enter(owner: ListenerOwner, listeners: readonly string[]): void {
    const ownerKey = keyOfOwner(owner);
    const keys = [...this.#edges.of(listenerPolicyEdges.owner).sourcesOf(ownerKey)];
    const found = keys.flatMap((key) => this.#store.find('ListenerPolicy', key) ?? []).sort(compareAge);
    for (const policy of found) {
      const refs = policy.spec.targetRefs.filter((ref) => ownerOfTarget(policy, ref) === ownerKey);
      for (const { sectionName } of refs) this.#claim(policy, owner, sectionName, listeners);
    }
  }

  #claim(policy: Policy, owner: ListenerOwner, section: string | undefined, listeners: readonly string[]): void {
    this.#faults.set(policy, this.#faults.get(policy) ?? []);
    if (section !== undefined && !listeners.includes(section)) {
      const has = listeners.join(', ') || 'none';
      const message = `${describeOwner(owner)} has no listener ${section}: it has ${has}`;
      this.report(policy, { reason: 'TargetNotFound', message });
      return;
    }
    const slot = slotOf(owner, section);
    const winner = this.#winners.get(slot);
    if (!winner) this.#winners.set(slot, policy);
    else if (winner !== policy) {
      const what = section === undefined ? describeOwner(owner) : `listener ${section} of ${describeOwner(owner)}`;
      const message = `${what} has the older ListenerPolicy ${keyOf(winner)} already: change or remove one of them`;
      this.report(policy, { reason: 'Conflicted', message });
    }
  }

  winner(owner: ListenerOwner, section?: string): Policy | undefined {
    return this.#winners.get(slotOf(owner, section));
  }

  settingsOf(policy: Policy | undefined): ResolvedSettings | undefined {
    if (!policy) return undefined;
    const known = this.#settings.get(policy) ?? settingsOf(policy, this.#store);
    this.#settings.set(policy, known);
    return known;
  }

  report(policy: Policy, fault: ConditionFault): void {
    this.#faults.get(policy)?.push(fault);
  }

  /** With what was found out on ports. */
  outcomes({ faults: found, remarks }: Remarks): ReadonlyMap<string, PolicyOutcome> {
    return new Map(
      [...this.#faults].map(([policy, own]) => {
        const { faults: content, referenceFaults } = this.settingsOf(policy) as ResolvedSettings;
        const faults = [...own, ...content, ...found.flatMap(([about, fault]) => (about === policy ? fault : []))];
        const said = [...new Set(remarks.flatMap(([about, text]) => (about === policy ? text : [])))];
        return [keyOf(policy), { faults, remarks: said, referenceFaults }] as const;
      }),
    );
  }
}

const keyOfOwner = ({ kind, namespace, name }: ListenerOwner): ListenerOwnerKey =>
  listenerOwnerKey(kind, objectKey(namespace, name));

const slotOf = (owner: ListenerOwner, section = ''): string => `${keyOfOwner(owner)} ${section}`;

/** The conditions of a policy: for each Gateway what became of it there. */
export const listenerPolicyConditions = (
  { metadata: { generation = 0 } }: Policy,
  outcomes: ReadonlyMap<string, PolicyOutcome>,
): GatewayConditions =>
  new Map(
    [...outcomes].map(([gateway, { faults, remarks, referenceFaults }]) => [
      gateway,
      [
        conditionOf('Accepted', generation, combineFaults(faults), { message: remarks.join('; ') }),
        conditionOf('ResolvedRefs', generation, combineFaults(referenceFaults)),
      ],
    ]),
  );
