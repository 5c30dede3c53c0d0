/** How a value is compared. Regular expressions are RE2 and must match the whole value. */
export type ValueMatch =
  | { readonly kind: 'exact'; readonly value: string }
  | { readonly kind: 'regex'; readonly value: string };

/** `prefix` is by whole path segments, without a trailing slash unless it is `/` itself. */
export type PathMatch =
  | { readonly kind: 'exact'; readonly value: string }
  | { readonly kind: 'prefix'; readonly value: string }
  | { readonly kind: 'regex'; readonly value: string };

export interface NamedMatch {
  readonly name: string;
  readonly match: ValueMatch;
}

/** All parts must hold. Header names are lower case. */
export interface RouteMatch {
  readonly path: PathMatch;
  readonly method?: string;
  readonly headers: readonly NamedMatch[];
  readonly queryParams: readonly NamedMatch[];
  /** Of all requests only those of gRPC. */
  readonly grpc?: true;
  /** Names are compared to the letter. */
  readonly cookies?: readonly NamedMatch[];
}
