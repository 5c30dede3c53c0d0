import type * as ir from '../../ir/index.ts';
import { backendCertificateName, type EnvoyResource } from '../resource/index.ts';
import { certificateResource } from './secret.ts';

/** SDS: what is shown to one backend, because it asks for it; undefined when it does not. */
export const translateOwnCertificate = (
  backend: string,
  { ownCertificate }: ir.BackendTls,
): EnvoyResource | undefined =>
  ownCertificate && certificateResource(backendCertificateName(backend), ownCertificate.secret);
