/**
 * A name for a cluster that resolves it, or an address, which is resolved like one. The dot at the end makes it absolute: Envoy then asks the resolver that
 * the bootstrap names, which in a data plane of ours is the agent's, and nothing before it. Without the dot c-ares answers from /etc/hosts and search domains, knows
 * `localhost` by heart, and takes addresses as they are. Source: docs/adr/0010-egress.md.
 */
export const namedEndpoint = (hostname: string, port: number) => ({
  hostIdentifier: {
    case: 'endpoint' as const,
    value: {
      hostname,
      address: {
        address: {
          case: 'socketAddress' as const,
          value: {
            address: `${hostname.replace(/\.+$/, '')}.`,
            portSpecifier: { case: 'portValue' as const, value: port },
          },
        },
      },
    },
  },
});
