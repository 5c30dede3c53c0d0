/**
 * In which pieces an endpoint picker gets a request, and what it gets of the answer.
 * - `fullDuplex`: bodies of both, as they come.
 * - `fullDuplexRequest`: the request's body as it comes, and of answers the headers.
 * - `buffered`: the request's body as a whole, and of answers the headers.
 * - `auto`: as `fullDuplexRequest`, and when that fails before a model server was asked, as `buffered`.
 */
export type PickerMode = 'fullDuplex' | 'fullDuplexRequest' | 'buffered' | 'auto';

/** What chooses a model server for each request, by ext_proc. */
export interface EndpointPicker {
  /** Key of its ir.Backend. */
  readonly backend: string;
  /** What it is called by. */
  readonly authority: string;
  readonly mode: PickerMode;
  /** Without it requests go to any model server. */
  readonly failOpen: boolean;
}

/** Model servers behind a listener within the proxy, where a picker is asked which of them gets a request. */
export interface Pool {
  /** Key of the ir.Backend with the model servers. */
  readonly servers: string;
  /** Undefined: it cannot be found, and requests are answered 503. */
  readonly picker?: EndpointPicker;
}
