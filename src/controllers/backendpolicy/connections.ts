import type { ObjectByKind } from '../../gateway-api/index.ts';
import { defined } from '../../graph/model/index.ts';
import type * as ir from '../../ir/index.ts';
import { parseDurationMs } from '../../std/index.ts';
import { http1Of, keepaliveOf, pingsOf } from '../policies/index.ts';

type Spec = ObjectByKind['BackendPolicy']['spec'];

type Connections = Pick<
  ir.BackendTuning,
  'http1' | 'http2' | 'usesClientProtocol' | 'tls' | 'connection' | 'names' | 'keepalive' | 'proxyProtocol'
>;

/** How connections to a backend come about, and what is spoken on them. */
export function connectionsOf(
  { http1, http2, useClientProtocol, tls, connection, dns, tcpKeepalive, proxyProtocol }: Spec,
  protocol: ir.BackendProtocol,
): Connections {
  const usesClients = useClientProtocol === true && protocol === 'http1';
  return defined<Connections>({
    http1: http1 && protocol === 'http1' ? http1Of(http1) : undefined,
    http2: http2 && (protocol === 'h2c' || usesClients) ? http2Of(http2) : undefined,
    usesClientProtocol: usesClients || undefined,
    tls: tls && filled(tlsOf(tls)),
    connection: connection && connectionOf(connection),
    names: dns && filled(namesOf(dns)),
    keepalive: tcpKeepalive && keepaliveOf(tcpKeepalive),
    proxyProtocol: proxyProtocol?.version,
  });
}

const tlsOf = ({ verification, ...versions }: NonNullable<Spec['tls']>): ir.TlsTuning =>
  defined<ir.TlsTuning>({ ...versions, verification: verification && verificationOf(verification) });

function verificationOf({
  mode,
  certificateHashes = [],
  publicKeyHashes = [],
}: NonNullable<NonNullable<Spec['tls']>['verification']>): ir.TlsTuning['verification'] {
  if (mode === 'Full') return undefined;
  if (mode === 'None') return 'none';
  return { certificates: certificateHashes.map((hash) => hash.toLowerCase()), publicKeys: publicKeyHashes };
}

const http2Of = ({ keepalive, onInvalidMessage, ...settings }: NonNullable<Spec['http2']>): ir.Http2Settings =>
  defined<ir.Http2Settings>({
    ...settings,
    invalidEndsStream: onInvalidMessage === 'ResetStream' || undefined,
    keepalive: keepalive && pingsOf(keepalive),
  });

/** 100 percent is what is needed, and none ahead of it. */
const connectionOf = (spec: NonNullable<Spec['connection']>): ir.ConnectionSettings | undefined =>
  filled(
    defined<ir.ConnectionSettings>({
      bufferBytes: spec.bufferBytes,
      socketBufferBytes: spec.socketBufferBytes,
      preconnectPercent: spec.preconnectPercent === 100 ? undefined : spec.preconnectPercent,
      preconnectNextPercent: spec.preconnectNextPercent === 100 ? undefined : spec.preconnectNextPercent,
    }),
  );

const namesOf = ({ refreshInterval, respectTTL, family }: NonNullable<Spec['dns']>): ir.NameSettings =>
  defined<ir.NameSettings>({
    refreshMs: refreshInterval === undefined ? undefined : parseDurationMs(refreshInterval),
    ignoresTtl: respectTTL === false || undefined,
    family: family === 'IPv4Preferred' ? undefined : family,
  });

const filled = <T extends object>(fields: T): T | undefined => (Object.keys(fields).length > 0 ? fields : undefined);
