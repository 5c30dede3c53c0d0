import { SubjectAltNameMatcher_SanType as San } from '../../envoy/index.ts';

/** Of a certificate's subject alternative names, as Envoy calls them. */
export const sanTypes = { dns: San.DNS, uri: San.URI, email: San.EMAIL, ip: San.IP_ADDRESS } as const;
