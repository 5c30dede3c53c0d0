import { routeModule } from '../routes/route-module.ts';

export const httpRouteModule = routeModule('HTTPRoute', 'HTTP requests by host, path, header, method and query');
