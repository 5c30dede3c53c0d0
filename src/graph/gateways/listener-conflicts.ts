import { type ConditionFault, hostnameOf, knowsHostnames, type ListenerSpec, portFamilyOf } from '../model/index.ts';

/**
 * Indistinguishable listeners of one Gateway are all rejected, because the API allows no winner within a Gateway.
 * Source: Gateway API, GatewaySpec.listeners on distinctness.
 */
export function conflictWithin(spec: ListenerSpec, listeners: readonly ListenerSpec[]): ConditionFault | undefined {
  for (const other of listeners) {
    if (other === spec || transportPort(other) !== transportPort(spec)) continue;
    const conflict = conflictBetween(spec, other, `listener ${other.name}`);
    if (conflict) return conflict;
  }
  return undefined;
}

/** The ports of a Gateway with the hostnames that are taken on each: who comes first keeps what it has. */
export class PortClaims {
  /** By transport and port, then by hostname. */
  readonly #claims = new Map<string, Map<string, { readonly spec: ListenerSpec; readonly label: string }>>();

  /** `label` names the listener in others' messages, as in `listener web of Gateway team-a/edge`. */
  claim(spec: ListenerSpec, label: string): void {
    const hosts = this.#claims.get(transportPort(spec)) ?? new Map();
    this.#claims.set(transportPort(spec), hosts.set(hostnameOf(spec), { spec, label }));
  }

  /** Why the listener cannot have what it asks for beside those that came before it. */
  conflict(spec: ListenerSpec): ConditionFault | undefined {
    const hosts = this.#claims.get(transportPort(spec));
    // Those of one port are all of one family, so any of them shows it.
    const [first] = hosts?.values() ?? [];
    const rival = hosts?.get(hostnameOf(spec)) ?? first;
    return rival && conflictBetween(spec, rival.spec, rival.label);
  }
}

/** UDP ports are numbered apart from those of TCP. */
const transportPort = ({ protocol, port }: ListenerSpec): string => `${protocol === 'UDP' ? 'udp' : 'tcp'}/${port}`;

function conflictBetween(spec: ListenerSpec, other: ListenerSpec, label: string): ConditionFault | undefined {
  if (portFamilyOf(other.protocol) !== portFamilyOf(spec.protocol) || !knowsHostnames(spec.protocol)) {
    const message = `Port ${spec.port} is also used by ${label} with protocol ${other.protocol}: give one of them another port`;
    return { reason: 'ProtocolConflict', message };
  }
  if (hostnameOf(other) !== hostnameOf(spec)) return undefined;
  const message = `L${label.slice(1)} has the same port and hostname: change one of them`;
  return { reason: 'HostnameConflict', message };
}
