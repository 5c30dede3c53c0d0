import { filteredRouteModule } from '../routes/index.ts';

export const grpcRouteModule = filteredRouteModule('GRPCRoute', 'gRPC calls by host, service, method and header');
