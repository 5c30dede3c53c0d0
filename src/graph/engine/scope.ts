/** What of a cluster this install looks at, and where it runs proxies. Without any of it: everything, each in its own namespace. */
export interface Scope {
  /** The namespaces that are read; undefined: all. */
  readonly namespaces?: readonly string[] | undefined;
  /** Where all proxies run, whichever Gateway they belong to; undefined: each Gateway's in its own namespace. */
  readonly proxiesNamespace?: string | undefined;
  /** Where the control plane keeps what it fetches. Default `gatewright-system`. */
  readonly own?: string | undefined;
}

/** Whether objects of the namespace are known here at all. */
export const reads = ({ namespaces }: Scope, namespace: string): boolean => namespaces?.includes(namespace) ?? true;

/** The end of a sentence about something in a namespace that is not read. */
export const unread = (namespace: string): string =>
  `is in namespace ${namespace}, which is outside of what this install reads (source.kubernetes.namespaces)`;
