import { routeTargets } from '../policies/index.ts';

/** Policies by the Gateways and routes whose requests their extensions see. */
export const extensionTargets = routeTargets('ExtensionPolicy');
