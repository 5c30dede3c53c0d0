import { isIP } from 'node:net';

/** Where to listen, or whom to call. */
export interface ListenAddress {
  /** IP address or host name, IPv6 without brackets; undefined: every address of this machine. */
  readonly host?: string;
  /** 0: any free port. */
  readonly port: number;
}

const shape = /^(?:\[(?<v6>[0-9A-Fa-f:.]+)\]|(?<host>[A-Za-z0-9._-]*)):(?<port>[0-9]{1,5})$/;

/** `127.0.0.1:18081`, `[::1]:18081`, or `:18081` without a host. */
export const formatAddress = ({ host = '', port }: ListenAddress): string => `${bracketed(host)}:${port}`;

/** An IPv6 address as it stands before a port. */
export const bracketed = (host: string): string => (host.includes(':') ? `[${host}]` : host);

/** `:18081`, `127.0.0.1:18081`, `[::1]:18081` or `localhost:18081` taken apart; undefined when it is none of them. */
export function parseListenAddress(text: string): ListenAddress | undefined {
  const groups = shape.exec(text)?.groups;
  if (groups === undefined) return undefined;
  const port = Number(groups.port);
  if (port > 65535) return undefined;
  if (groups.v6 !== undefined) return isIP(groups.v6) === 6 ? { host: groups.v6, port } : undefined;
  return groups.host === '' ? { port } : { host: groups.host as string, port };
}
