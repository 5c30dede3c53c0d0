/** The certificate of a client that came over TLS, as the TLS library judged it against the authorities it was given. */
export type ClientCertificate =
  | { readonly state: 'none' }
  /** `reason` as the TLS library says it, such as `CERT_HAS_EXPIRED`. */
  | { readonly state: 'rejected'; readonly reason: string; readonly subject: string }
  /** `subjectAltName` as Node writes it: `DNS:a.test, URI:spiffe://b/c`. */
  | { readonly state: 'verified'; readonly subject: string; readonly subjectAltName: string };

/** What the client of a stream shows of itself before its first request is read. */
export interface PeerCredentials {
  /** The bearer token of the metadata `authorization`; undefined when there is none. */
  readonly token: string | undefined;
  readonly certificate: ClientCertificate;
}

/** Who a node says it is, in the first request of its stream. */
export interface NodeClaim {
  readonly nodeId: string;
  /** `NAMESPACE/NAME` of a Gateway, or the key of shared proxies. */
  readonly cluster: string;
}

/** A client that proved who it is. */
export interface Admission {
  /** For logs. */
  readonly subject: string;
  /** Why the client may not be the node that it says it is; undefined: it may. */
  rejects(claim: NodeClaim): string | undefined;
}

/** Finds out who the client of a stream is. Knows what Kubernetes or certificates say; the server knows only the answer. */
export interface Authenticator {
  /** Rejects with AdmissionError; any other error is a fault of ours. */
  admit(credentials: PeerCredentials): Promise<Admission>;
}

/** Why a stream is rejected. `unauthenticated`: for what it shows. `unavailable`: it cannot be checked now, so the client may try again. */
export class AdmissionError extends Error {
  override readonly name = 'AdmissionError';
  readonly code: 'unauthenticated' | 'unavailable';

  constructor(code: AdmissionError['code'], message: string, options?: ErrorOptions) {
    super(message, options);
    this.code = code;
  }
}

/** The token of `authorization: Bearer TOKEN`; undefined for anything else. */
export function bearerToken(authorization: unknown): string | undefined {
  const [, token] = typeof authorization === 'string' ? (/^Bearer +(\S+)$/i.exec(authorization) ?? []) : [];
  return token;
}
