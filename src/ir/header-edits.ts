/** What of a request the value of a header may have. */
export type HeaderVariable = 'clientAddress' | 'protocol' | 'route' | 'tlsVersion' | 'time';

/** Text as it is, or what is put there for each request; nothing where the request has none of it. */
export type ValuePart =
  | string
  | { readonly kind: 'variable'; readonly name: HeaderVariable }
  | { readonly kind: 'header'; readonly of: 'request' | 'response'; readonly name: string };

/** The name is in lower case. A value that comes to nothing is not written. */
export interface EditedHeader {
  readonly name: string;
  readonly value: readonly ValuePart[];
}

/** In this order. */
export interface HeaderEdit {
  readonly remove: readonly string[];
  /** Beginnings of names. */
  readonly removePrefixes: readonly string[];
  /** Regular expressions of RE2 for whole names, which are in lower case. */
  readonly removePatterns?: readonly string[];
  readonly set: readonly EditedHeader[];
  readonly add: readonly EditedHeader[];
  /** Set where there is none of the name. */
  readonly ifAbsent: readonly EditedHeader[];
}

/** What backends get in a header in place of what clients send there. */
export interface InjectedCredential {
  /** In lower case. */
  readonly header: string;
  /** Stands before the credential. */
  readonly prefix: string;
  /** Key of the ir.Backend that has the credential itself. */
  readonly backend: string;
}

export interface HeaderEdits {
  /** Names of headers that are taken from what clients send, before anything else reads or writes them. */
  readonly withheld?: readonly string[];
  readonly request?: HeaderEdit;
  readonly response?: HeaderEdit;
  /** Behind all that reads headers of requests. */
  readonly credential?: InjectedCredential;
}
