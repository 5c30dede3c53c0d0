/** What one side did with a request, as far as it is compared. */
export interface SeenAnswer {
  /** Undefined: the backend decides it. 0: there was no answer. */
  readonly status: number | undefined;
  /** Why there was no answer, or what decided. */
  readonly reason: string;
  readonly location?: string | undefined;
  /** Lower-case names; those of `comparedHeaders` alone. Undefined: it is not known which are set. */
  readonly headers: Readonly<Record<string, string>> | undefined;
  /** Names with their attributes, without values; undefined: not known. */
  readonly cookies?: readonly string[] | undefined;
  /** SHA-256 of the body, when that is compared. */
  readonly digest?: string | undefined;
  /** `NAMESPACE/SERVICE:PORT`, each with its share; undefined: not known. */
  readonly backends?: Readonly<Record<string, number>> | undefined;
  /** What the backend gets on its request line; undefined: not known. */
  readonly target?: string | undefined;
  /** Policies decide who may come in, which is not asked here. */
  readonly isGuarded?: boolean;
  /** What the answer depends on that is not known. */
  readonly open: readonly string[];
}

/** The headers of answers that mean something to browsers. Date, Server, Via and ids are never compared. */
export const comparedHeaders: readonly string[] = [
  'strict-transport-security',
  'access-control-allow-origin',
  'access-control-allow-credentials',
  'access-control-allow-methods',
  'access-control-allow-headers',
  'access-control-expose-headers',
  'access-control-max-age',
  'www-authenticate',
];
