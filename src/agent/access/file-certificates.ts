import type { experimental } from '@grpc/grpc-js';

/** PEM. */
export interface Certificates {
  readonly ca: Buffer;
  readonly cert?: Buffer;
  readonly key?: Buffer;
}

/** Certificates in the form the gRPC library takes: a connection uses those that are current when it is made. */
export class FileCertificates implements experimental.CertificateProvider {
  readonly #caListeners = new Set<experimental.CaCertificateUpdateListener>();
  readonly #identityListeners = new Set<experimental.IdentityCertificateUpdateListener>();
  #certificates: Certificates;

  constructor(certificates: Certificates) {
    this.#certificates = certificates;
  }

  update(certificates: Certificates): void {
    this.#certificates = certificates;
    for (const listener of this.#caListeners) this.#reportCa(listener);
    for (const listener of this.#identityListeners) this.#reportIdentity(listener);
  }

  addCaCertificateListener(listener: experimental.CaCertificateUpdateListener): void {
    this.#caListeners.add(listener);
    this.#reportCa(listener);
  }

  removeCaCertificateListener(listener: experimental.CaCertificateUpdateListener): void {
    this.#caListeners.delete(listener);
  }

  addIdentityCertificateListener(listener: experimental.IdentityCertificateUpdateListener): void {
    this.#identityListeners.add(listener);
    this.#reportIdentity(listener);
  }

  removeIdentityCertificateListener(listener: experimental.IdentityCertificateUpdateListener): void {
    this.#identityListeners.delete(listener);
  }

  #reportCa(listener: experimental.CaCertificateUpdateListener): void {
    listener({ caCertificate: this.#certificates.ca });
  }

  #reportIdentity(listener: experimental.IdentityCertificateUpdateListener): void {
    const { cert, key } = this.#certificates;
    listener(cert && key ? { certificate: cert, privateKey: key } : null);
  }
}
