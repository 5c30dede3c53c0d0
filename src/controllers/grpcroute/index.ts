import { routeModule } from '../routes/route-module.ts';

export const grpcRouteModule = routeModule('GRPCRoute', 'gRPC calls by host, service, method and header');
