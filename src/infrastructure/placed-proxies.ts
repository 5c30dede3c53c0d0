import type { GatewayProxies } from './gateway-proxies.ts';

/** Where the objects that are made for some proxies are, and how they are found there. */
export interface Place {
  readonly namespace: string;
  /** Of the ServiceAccount that they run as, and of every other object. */
  readonly name: string;
  /** Labels that distinguish these pods from all others of the namespace. A Deployment's selector can never change. */
  readonly selector: Readonly<Record<string, string>>;
}

/** Proxies with the place that was chosen for them: what objects are made from. */
export interface PlacedProxies extends GatewayProxies {
  readonly place: Place;
  /** Who makes them. */
  readonly controllerName: string;
}
