import { typeUrls } from '../../envoy/wire/index.ts';

/**
 * The order in which the types are asked for again on a new stream: Envoy's own order at start, so that the control
 * plane has answered clusters and endpoints before it looks at what uses them; modules are the agent's own.
 */
const openingOrder: readonly string[] = [
  typeUrls.module,
  typeUrls.cluster,
  typeUrls.endpoint,
  typeUrls.listener,
  typeUrls.extension,
  typeUrls.scopedRoute,
  typeUrls.route,
  typeUrls.secret,
];

/** Compares two type URLs by the order of opening; those the agent does not know come last, by name. */
export function byOpeningOrder(a: string, b: string): number {
  return rank(a) - rank(b) || (a < b ? -1 : a > b ? 1 : 0);
}

function rank(typeUrl: string): number {
  const place = openingOrder.indexOf(typeUrl);
  return place === -1 ? openingOrder.length : place;
}

/** Envoy uses the good part of a rejected answer of these types, and none of any other. */
export const isTakenInPart = (typeUrl: string) => typeUrl === typeUrls.cluster || typeUrl === typeUrls.listener;
