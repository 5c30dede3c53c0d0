import { TlsParameters_TlsProtocol as Protocol } from '../../envoy/index.ts';
import type * as ir from '../../ir/index.ts';

const protocols: Readonly<Record<ir.TlsVersion, Protocol>> = {
  '1.0': Protocol.TLSv1_0,
  '1.1': Protocol.TLSv1_1,
  '1.2': Protocol.TLSv1_2,
  '1.3': Protocol.TLSv1_3,
};

/** A newest version that is older than what Envoy takes by itself as the oldest would leave none. */
export function tlsParams({
  minVersion,
  maxVersion,
  cipherSuites = [],
  curves = [],
  signatureAlgorithms = [],
}: ir.TlsParameters) {
  const oldest = minVersion ?? (maxVersion !== undefined && maxVersion < '1.2' ? maxVersion : undefined);
  return {
    ...(oldest && { tlsMinimumProtocolVersion: protocols[oldest] }),
    ...(maxVersion && { tlsMaximumProtocolVersion: protocols[maxVersion] }),
    cipherSuites: [...cipherSuites],
    ecdhCurves: [...curves],
    ...(signatureAlgorithms.length > 0 && { signatureAlgorithms: [...signatureAlgorithms] }),
  };
}
