import { isIP } from 'node:net';
import { AddressRules } from '../../egress/index.ts';

interface NamedCircumstances {
  readonly allowed: readonly string[];
  /** Where its health is asked for, if that is another port. */
  readonly checkPort?: number | undefined;
}

/**
 * A name for a cluster that resolves it, or an address, which is resolved like one. The dot at the end makes it absolute: Envoy then asks the resolver that
 * the bootstrap names, which in a data plane of ours is the agent's, and nothing before it. Without the dot c-ares answers from /etc/hosts and search domains, knows
 * `localhost` by heart, and takes addresses as they are. An address that the operator opened (`allowed`) goes as it is: there is nothing to ask, and its cluster is warm at
 * once. Source: docs/adr/0010-egress.md.
 */
export const namedEndpoint = (hostname: string, port: number, { allowed, checkPort }: NamedCircumstances) => ({
  hostIdentifier: {
    case: 'endpoint' as const,
    value: {
      hostname,
      ...(checkPort !== undefined && { healthCheckConfig: { portValue: checkPort } }),
      address: {
        address: {
          case: 'socketAddress' as const,
          value: {
            address: isOpened(hostname, allowed) ? hostname : `${hostname.replace(/\.+$/, '')}.`,
            portSpecifier: { case: 'portValue' as const, value: port },
          },
        },
      },
    },
  },
});

const isOpened = (hostname: string, allowed: readonly string[]): boolean =>
  isIP(hostname) !== 0 && new AddressRules({ allowed }).allows(hostname);
