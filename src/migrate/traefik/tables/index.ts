import type { Table } from '../../kit/table.ts';
import { ingressRouteTable, routeTable } from '../ingress-routes.ts';
import { tlsOptionTable } from '../tls-options.ts';
import { middlewareTable, middlewareTcpTable } from './middleware.ts';
import { serversTransportTable, serviceTable } from './service.ts';

/** What happens to each field, by kind and the path that a table is for. */
export const traefikTables: Readonly<Record<string, Table>> = {
  IngressRoute: ingressRouteTable,
  'IngressRoute.routes[]': routeTable,
  'IngressRoute.routes[].services[]': serviceTable,
  Middleware: middlewareTable,
  MiddlewareTCP: middlewareTcpTable,
  ServersTransport: serversTransportTable,
  TLSOption: tlsOptionTable,
};
