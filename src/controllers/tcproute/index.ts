import { routeModule } from '../routes/route-module.ts';

export const tcpRouteModule = routeModule('TCPRoute', 'Connections of a port');
