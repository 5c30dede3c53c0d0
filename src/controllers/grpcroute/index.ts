import { routeModule } from '../routes/index.ts';

export const grpcRouteModule = routeModule('GRPCRoute', 'gRPC calls by host, service, method and header');
