import { wildcardsAbove } from '../../gateway-api/index.ts';
import * as ir from '../../ir/index.ts';
import type { Rejected, TestRequest } from './request.ts';
import { hostNameOf } from './request-view.ts';

/** Where a request comes in: one HTTP chain of an open port. */
export interface Entrance {
  readonly listener: ir.Listener;
  readonly chain: ir.HttpChain;
}

/** Listeners of the Gateway that are open at the port for TCP. There is one at most of those that speak HTTP. */
const openAt = ({ listeners }: ir.Fleet, port: number): ir.Listener[] =>
  [...listeners.values()].filter(({ bind, transport, key }) => transport === 'tcp' && portOf(key, bind) === port);

/** The key has the port of the Gateway; what the proxy binds to may be another one. */
const portOf = (key: string, { port }: ir.BindAddress): number => ir.parsePortKey(key).port ?? port;

/** Whether the Gateway has anything open at the port. */
export const isOpen = (gateway: ir.Fleet, port: number): boolean => openAt(gateway, port).length > 0;

/** The port at which the Gateway speaks HTTP with or without TLS, if there is exactly one; else the one at which it speaks HTTP at all. */
export const onlyHttpPort = (gateway: ir.Fleet, withTls: boolean): number | undefined =>
  onlyPortWith(gateway, withTls) ?? only(httpPorts(gateway));

/** The port at which the Gateway speaks HTTP with or without TLS, if there is exactly one. */
export const onlyPortWith = (gateway: ir.Fleet, withTls: boolean): number | undefined =>
  only(httpPorts(gateway).filter(({ isTls }) => isTls === withTls));

interface HttpPort {
  readonly port: number;
  readonly isTls: boolean;
}

const httpPorts = ({ listeners }: ir.Fleet): readonly HttpPort[] =>
  [...listeners.values()].flatMap(({ key, bind, chains }) =>
    chains.flatMap(({ kind, tls }) => (kind === 'http' ? [{ port: portOf(key, bind), isTls: tls !== undefined }] : [])),
  );

function only(some: readonly HttpPort[]): number | undefined {
  const [port, ...others] = new Set(some.map((each) => each.port));
  return others.length === 0 ? port : undefined;
}

/** The chain that Envoy chooses for the connection: by SNI the exact name, else the longest suffix, else the one for all. */
export function findEntrance(gateway: ir.Fleet, port: number, request: TestRequest): Entrance | Rejected {
  const [listener] = openAt(gateway, port);
  if (!listener) return { status: 0, reason: `Gateway ${gateway.key} has no listener at port ${port}` };
  const name = (request.serverName ?? hostNameOf(request.host)).toLowerCase();
  const chain =
    listener.chains.find(({ tls, kind }) => kind === 'http' && !tls) ?? chainOfName(gateway, listener, name);
  if (!chain) return { status: 0, reason: `port ${port} ends the connection: no listener is for the TLS name ${name}` };
  if (chain.kind === 'http') return { listener, chain };
  if (chain.kind === 'closed')
    return {
      status: 0,
      reason: `listener ${chain.name} ends its connections, since proxies reject it or its ListenerPolicy is Invalid (${listener.key})`,
    };
  return {
    status: 0,
    reason: `the connection is passed on by listener ${chain.name} without a look at requests (${listener.key})`,
  };
}

function chainOfName(gateway: ir.Fleet, { chains }: ir.Listener, name: string): ir.Chain | undefined {
  const chosen = [name, ...wildcardsAbove(name)].map((wanted) =>
    chains.find((chain) => namesOf(gateway, chain).includes(wanted)),
  );
  return chosen.find((chain) => chain !== undefined);
}

function namesOf(gateway: ir.Fleet, chain: ir.Chain): readonly string[] {
  if (chain.kind === 'stream' && chain.sni) return [...(gateway.streams.get(chain.table)?.hosts.keys() ?? [])];
  const names = chain.kind === 'closed' ? chain.serverNames : (chain.tls?.serverNames ?? []);
  return names.length === 0 ? ['*'] : names;
}
