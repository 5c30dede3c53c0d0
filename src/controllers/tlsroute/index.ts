import { routeModule } from '../routes/index.ts';

export const tlsRouteModule = routeModule('TLSRoute', 'TLS connections by the name that the client asks for');
