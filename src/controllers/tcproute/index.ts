import { routeModule } from '../routes/index.ts';

export const tcpRouteModule = routeModule('TCPRoute', 'Connections of a port');
