import type { Operation } from './reference.ts';

/** Values of parameters by name; empty: not given. */
export type Values = Readonly<Record<string, string>>;

/** Where a value is in the link to a page, so that what was tried can be sent to somebody. */
export const keyOfValue = (name: string): string => `p.${name}`;

/** The path with its query. What is in the path and not given stays as `{name}`. */
export function pathWith({ path, parameters = [] }: Pick<Operation, 'path' | 'parameters'>, values: Values): string {
  const query = new URLSearchParams(
    parameters.flatMap(({ name, in: where }): [string, string][] => {
      const value = values[name] ?? '';
      return where === 'query' && value !== '' ? [[name, value]] : [];
    }),
  ).toString();
  const filled = path.replaceAll(/\{(\w+)\}/g, (whole, name: string) => {
    const value = values[name] ?? '';
    return value === '' ? whole : encodeURIComponent(value.toWellFormed());
  });
  return `${filled}${query === '' ? '' : `?${query}`}`;
}

export interface CurlOptions {
  /** Where the path is, without a slash at its end. */
  readonly base: string;
  readonly values: Values;
  readonly hasToken: boolean;
  /** Sent as JSON. */
  readonly body?: unknown;
  readonly isStream: boolean;
}

/** A line for a shell. The token is a variable in it: a line is shown, copied and kept. */
export function curlLine(operation: Operation, { base, values, hasToken, body, isStream }: CurlOptions): string {
  const method = operation.method.toUpperCase();
  return [
    'curl',
    ...(isStream ? ['-N'] : []),
    ...(method === 'GET' ? [] : ['-X', method]),
    ...(hasToken ? ['-H', '"Authorization: Bearer $TOKEN"'] : []),
    ...(body === undefined ? [] : ['-H', quoted('Content-Type: application/json'), '-d', quoted(JSON.stringify(body))]),
    quoted(`${base}${pathWith(operation, values)}`),
  ].join(' ');
}

const quoted = (text: string): string => `'${text.replaceAll("'", "'\\''")}'`;
