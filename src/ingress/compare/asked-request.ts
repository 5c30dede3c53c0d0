import type { ModelRequest } from '../model/request.ts';

/** A request that both sides are asked, from this machine. Host is not among its headers. */
export interface AskedRequest extends Omit<ModelRequest, 'from'> {
  /** Why it is asked: `path /shop: a slash added`. */
  readonly because: string;
}

/** Methods that change nothing. Others are sent when they are named. */
export const safeMethods: readonly string[] = ['GET', 'HEAD', 'OPTIONS'];

/** `GET https://shop.example.com/cart`. */
export const requestText = ({ method, scheme, host, target }: AskedRequest): string =>
  `${method} ${scheme}://${host}${target}`;

/** What makes two requests one: everything but the reason. */
const requestKey = ({ headers, bodyBytes, ...request }: AskedRequest): string =>
  JSON.stringify([requestText({ headers, ...request }), headers, bodyBytes ?? 0]);

/** Each once, the first of equal ones. */
export function* distinct(requests: Iterable<AskedRequest>): Generator<AskedRequest> {
  const seen = new Set<string>();
  for (const request of requests) {
    const key = requestKey(request);
    if (seen.has(key)) continue;
    seen.add(key);
    yield request;
  }
}
