import { routeModule } from '../routes/index.ts';

export const httpRouteModule = routeModule('HTTPRoute', 'HTTP requests by host, path, header, method and query');
