/** A rule of a route as its user wrote it, as far as it is shown. */
export interface Rule {
  readonly name?: string;
  readonly matches?: readonly Match[];
  readonly filters?: readonly {
    readonly type: string;
    readonly extensionRef?: { readonly kind: string; readonly name: string };
  }[];
  readonly backendRefs?: readonly BackendRef[];
}

interface Match {
  readonly path?: { readonly type?: string; readonly value?: string };
  /** Of an HTTPRoute a word, of a GRPCRoute two. */
  readonly method?: string | { readonly type?: string; readonly service?: string; readonly method?: string };
  readonly headers?: readonly Pair[];
  readonly queryParams?: readonly Pair[];
}

interface Pair {
  readonly type?: string;
  readonly name: string;
  readonly value: string;
}

export interface BackendRef {
  readonly kind?: string;
  readonly namespace?: string;
  readonly name: string;
  readonly port?: number;
  readonly weight?: number;
}

/** A match in words; an empty one is of every request. */
export function matchText({ path, method, headers = [], queryParams = [] }: Match): string {
  const parts = [
    ...(typeof method === 'string' ? [`method ${method}`] : method === undefined ? [] : [callText(method)]),
    ...(path === undefined ? [] : [`path ${operator(path.type, 'PathPrefix')}${path.value ?? '/'}`]),
    ...headers.map((header) => `header ${pairText(header)}`),
    ...queryParams.map((parameter) => `query ${pairText(parameter)}`),
  ];
  return parts.length === 0 ? 'everything' : parts.join(', ');
}

const callText = ({ type, service = '*', method = '*' }: Exclude<Match['method'], string | undefined>): string =>
  `call ${operator(type, 'Exact')}${service}/${method}`;

const pairText = ({ type, name, value }: Pair): string => `${name} ${operator(type, 'Exact')}${value}`;

const operators: Readonly<Record<string, string>> = { PathPrefix: 'prefix ', Exact: '= ', RegularExpression: '~ ' };

const operator = (type: string | undefined, byDefault: string): string =>
  operators[type ?? byDefault] ?? `${type ?? byDefault} `;

/** What part of a rule's requests each of its backends gets: 0 to 1, by weight. Source: HTTPBackendRef.weight. */
export function sharesOf(refs: readonly BackendRef[]): readonly number[] {
  const total = refs.reduce((sum, { weight = 1 }) => sum + weight, 0);
  return refs.map(({ weight = 1 }) => (total === 0 ? 0 : weight / total));
}

export const shareText = (share: number): string => `${Math.round(share * 1_000) / 10} %`;
