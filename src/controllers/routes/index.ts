/** What the kinds of route have in common. */
export { filteredRouteModule, routeModule } from './route-module.ts';
