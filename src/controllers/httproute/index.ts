import { filteredRouteModule } from '../routes/index.ts';

export const httpRouteModule = filteredRouteModule(
  'HTTPRoute',
  'HTTP requests by host, path, header, method and query',
);
