import { bracketed, type Config, ConfigError, formatAddress, isLoopback } from '../../config/index.ts';

/** Throws a ConfigError for an xDS server without TLS that would be reached from elsewhere, unless that was asked for. */
export function rejectPlainXds({ listen, insecure }: Config['xds']): void {
  if (insecure || isLoopback(listen.host)) return;
  throw new ConfigError(
    `xds.listen: ${formatAddress(listen)} is beyond loopback, and without TLS every client gets all configuration, private keys included: set xds.tls.certFile, keyFile, caFile and clientCAFile (\`gatewright control-plane\`), listen on 127.0.0.1, or allow it with xds.insecure: true`,
  );
}

/** What to warn of at the start of an xDS server without TLS; undefined on loopback. */
export function plainXdsWarning({ listen: { host } }: Config['xds']): string | undefined {
  if (isLoopback(host)) return undefined;
  const where = host === undefined ? 'every address of this machine' : bracketed(host);
  return `xDS is served in plain text at ${where} to every client that reaches its port, private keys included, as configured (xds.insecure): keep it within a trusted network`;
}

/** The same for an agent that calls a control plane elsewhere without TLS. */
export function plainAgentWarning({ tls, xdsAddress }: Config['dataplane']): string | undefined {
  if (tls.caFile !== undefined || isLoopback(xdsAddress.host)) return undefined;
  return `configuration, private keys included, comes in plain text from ${formatAddress(xdsAddress)}, and nothing shows that it is the control plane: set dataplane.tls.caFile`;
}
