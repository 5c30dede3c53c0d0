import { routeModule } from '../routes/route-module.ts';

export const udpRouteModule = routeModule('UDPRoute', 'Datagrams of a port');
