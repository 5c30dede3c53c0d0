import { type Admission, AdmissionError, type Authenticator } from '../../xds/index.ts';
import { admitCertificate, certificateFault } from './client-identity.ts';
import type { TokenReviewer } from './token-reviewer.ts';

export interface AuthenticatorOptions {
  /** Clients are asked for a certificate. */
  readonly byCertificate: boolean;
  /** Clients may show a token. */
  readonly tokens?: Pick<TokenReviewer, 'admit'> | undefined;
}

/** Admits a client that shows one of what is asked for. A certificate counts before a token: a bad one is not made good by that. */
export const createAuthenticator = ({ byCertificate, tokens }: AuthenticatorOptions): Authenticator => ({
  async admit({ token, certificate }): Promise<Admission> {
    if (byCertificate && certificate.state === 'rejected') throw certificateFault(certificate);
    if (byCertificate && certificate.state === 'verified') return admitCertificate(certificate);
    if (tokens !== undefined && token !== undefined) return await tokens.admit(token);
    const wanted = [byCertificate && 'a client certificate', tokens && 'the metadata "authorization: Bearer TOKEN"'];
    throw new AdmissionError(
      'unauthenticated',
      `the client does not say who it is: send ${wanted.filter((each) => each).join(' or ')}`,
    );
  },
});
