/** What the kinds of route have in common. */
export { routeModule } from './route-module.ts';
