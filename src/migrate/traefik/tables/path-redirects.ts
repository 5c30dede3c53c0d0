/** Where a redirect by an expression for the whole URL leads, in the words of an HTTPFilter. */
export interface PathRedirect {
  readonly scheme: string;
  readonly hostname: string;
  readonly port?: number;
  /** Of the path. */
  readonly pattern: string;
  readonly substitution: string;
  readonly stripQuery?: true;
}

export interface FoundPathRedirect {
  readonly redirect: PathRedirect;
  /** The beginning of the paths that the expression is for, as it stands. */
  readonly prefix: string;
  /** The expression for the scheme and host. */
  readonly origin: string;
}

// No groups and no repetitions within each other: matching them takes no time.
const form = /^\^(https?\??:\/\/[^/()]+)(\/(?:[-\w~!@%&=:;,/]|\\[-.])*)(\(\.\*\))?(\$?)$/;
const target = /^(https?):\/\/([a-z0-9][-a-z0-9.]*)(?::(\d{1,5}))?(\/[-\w.~!@%&=:;,/]*)?(\$1|\$\{1\})?$/i;

/**
 * A redirect of a beginning of the path to another one, and to another host and scheme; undefined for expressions of another form. A group at the end takes
 * the query along, and without it in the replacement the query is lost.
 */
export function pathRedirect(regex: string, replacement: string): FoundPathRedirect | undefined {
  const [, origin, written, group, end] = form.exec(regex) ?? [];
  const [, scheme, hostname, port, path = '', kept] = target.exec(replacement) ?? [];
  if (origin === undefined || written === undefined || scheme === undefined || hostname === undefined) return undefined;
  // Without a group, a dollar leaves only URLs without a query, and the replacement has nothing to name.
  if (group === undefined && (end === '$' || kept !== undefined)) return undefined;
  const keepsRest = group === undefined || kept !== undefined;
  // What follows is joined to it: a host without a slash would swallow it.
  if (keepsRest && path === '') return undefined;
  return {
    origin,
    prefix: written.replaceAll('\\', ''),
    redirect: {
      scheme: scheme.toLowerCase(),
      hostname: hostname.toLowerCase(),
      ...(port !== undefined && { port: Number(port) }),
      pattern: keepsRest ? `^${written}` : '^.*$',
      substitution: path === '' ? '/' : path,
      ...(!keepsRest && { stripQuery: true as const }),
    },
  };
}
