import type * as ir from '../ir/index.ts';
import type { EnvoyResource } from './envoy-resource.ts';
import { backendCertificateName } from './names.ts';
import { certificateResource } from './secret.ts';

/** SDS: what is shown to one backend, because it asks for it; undefined when it does not. */
export const translateOwnCertificate = (
  backend: string,
  { ownCertificate }: ir.BackendTls,
): EnvoyResource | undefined =>
  ownCertificate && certificateResource(backendCertificateName(backend), ownCertificate.secret);
