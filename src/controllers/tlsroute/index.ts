import { routeModule } from '../routes/route-module.ts';

export const tlsRouteModule = routeModule('TLSRoute', 'TLS connections by the name that the client asks for');
