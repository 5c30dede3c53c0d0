import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type ChannelCredentials, credentials } from '@grpc/grpc-js';
import { type Authority, createAuthority, issueServing } from '../../src/cluster/identity/index.ts';
import type { CertificateSource, ServingCertificate } from '../../src/xds/index.ts';

const dayMs = 86_400_000;

/** An authority that has been there for ten days, as our own one would be. */
export const testAuthority = (): Promise<Authority> => createAuthority(new Date(Date.now() - 10 * dayMs), 365 * dayMs);

export interface ServingOptions {
  readonly hosts?: readonly string[];
  /** It ended so many days ago. */
  readonly endedDays?: number;
  readonly clientAuthorities?: string;
}

/** A serving certificate for 127.0.0.1 and localhost, if nothing else is asked for. */
export async function serving(authority: Authority, options: ServingOptions = {}): Promise<ServingCertificate> {
  const { hosts = ['localhost', '127.0.0.1'], endedDays, clientAuthorities } = options;
  const now = endedDays === undefined ? new Date() : new Date(Date.now() - (endedDays + 1) * dayMs);
  const { certificate, key } = await issueServing(authority, { hosts, now, lifetimeMs: dayMs });
  return { certificate, key, clientAuthorities };
}

/** Certificates that the test changes. */
export class TestCertificates implements CertificateSource {
  current: ServingCertificate;
  readonly #listeners = new Set<(certificate: ServingCertificate) => void>();

  constructor(first: ServingCertificate) {
    this.current = first;
  }

  follow(listener: (certificate: ServingCertificate) => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  change(certificate: ServingCertificate): void {
    this.current = certificate;
    for (const listener of this.#listeners) listener(certificate);
  }
}

/** What a client by hand believes, and the certificate it shows. */
export const trusting = (
  { certificate }: Pick<Authority, 'certificate'>,
  own?: { readonly certificatePem: string; readonly keyPem: string },
): ChannelCredentials =>
  own === undefined
    ? credentials.createSsl(Buffer.from(certificate))
    : credentials.createSsl(Buffer.from(certificate), Buffer.from(own.keyPem), Buffer.from(own.certificatePem));

/** A directory of files that lives as long as the test; gives a writer that gives the path. */
export function filesFor(t: { teardown(end: () => void): void }): (name: string, text: string) => string {
  const directory = mkdtempSync(join(tmpdir(), 'gatewright-files-'));
  t.teardown(() => rmSync(directory, { recursive: true, force: true }));
  return (name, text) => {
    const path = join(directory, name);
    writeFileSync(path, text);
    return path;
  };
}
