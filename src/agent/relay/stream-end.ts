import { status } from '@grpc/grpc-js';

/** Why a stream to the control plane ended, or did not begin. */
export interface StreamEnd {
  /** For logs and the admin API. */
  readonly reason: string;
  /** Another stream of the same node id replaced it. */
  readonly superseded: boolean;
  /** The control plane does not take this data plane for what it says it is. */
  readonly rejected?: boolean;
  /** It serves no Envoy of this one's version: its words. */
  readonly unsupported?: string;
  /** There was not even a connection. */
  readonly unconnected?: boolean;
  /** The channel still waits for it. */
  readonly unanswered?: boolean;
  /** The agent ended it, for another one. */
  readonly renewed?: boolean;
}

/** What the gRPC status of a stream means. The control plane says `superseded` in the text of the older stream's. */
export function streamEnd(code: status, details: string): StreamEnd {
  const superseded = /superseded/i.test(details);
  if (code === status.OK) return { reason: 'closed by the control plane', superseded };
  const reason = `${status[code] ?? code}: ${code === status.UNAVAILABLE ? inWords(details) : details}`;
  if (code === status.FAILED_PRECONDITION) return { reason, superseded, rejected: true, unsupported: details };
  return { reason, superseded, rejected: code === status.UNAUTHENTICATED || code === status.PERMISSION_DENIED };
}

/** What TLS libraries say of a connection that they gave up, and what it means here. */
const faults: readonly (readonly [RegExp, string])[] = [
  [/certificate has expired/i, "the control plane's certificate has expired"],
  [/certificate is not yet valid/i, "the control plane's certificate is not valid yet; compare the clocks"],
  [/does not match certificate's altnames/i, "the control plane's certificate is for other names (name mismatch)"],
  [
    /self-signed certificate|unable to (?:get|verify)[a-z ]*(?:issuer|first) certificate|certificate signature failure/i,
    "the control plane's certificate is of an unknown CA: it is none of dataplane.tls.caFile",
  ],
  [
    /wrong version number|packet length too long|unsupported protocol/i,
    'no TLS is spoken there: the control plane may be set to plain text (xds.insecure)',
  ],
];

function inWords(details: string): string {
  const fault = faults.find(([pattern]) => pattern.test(details));
  return fault === undefined ? details : `${fault[1]}: ${details}`;
}
