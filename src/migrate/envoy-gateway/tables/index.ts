import type { Table } from '../../kit/table.ts';
import { securityPolicy } from './access.ts';
import { backend } from './backend.ts';
import { backendTrafficPolicy } from './backend-traffic.ts';
import { clientTrafficPolicy } from './client-traffic.ts';
import { envoyProxy } from './envoy-proxy.ts';
import { envoyExtensionPolicy } from './extension.ts';
import { httpRouteFilter } from './route-filter.ts';

/** What happens to each field, by kind. An EnvoyPatchPolicy is never converted. */
export const envoyGatewayTables: Readonly<Record<string, Table>> = {
  SecurityPolicy: securityPolicy,
  BackendTrafficPolicy: backendTrafficPolicy,
  ClientTrafficPolicy: clientTrafficPolicy,
  EnvoyExtensionPolicy: envoyExtensionPolicy,
  HTTPRouteFilter: httpRouteFilter,
  Backend: backend,
  EnvoyProxy: envoyProxy,
};
