import { routeModule } from '../routes/index.ts';

export const udpRouteModule = routeModule('UDPRoute', 'Datagrams of a port');
