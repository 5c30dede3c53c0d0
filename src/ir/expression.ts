/**
 * A condition in CEL, the Common Expression Language, after it was checked: only what a proxy and a route test decide alike is in it. Something
 * that is missing, such as a header that a request lacks, makes the whole not hold, as CEL's errors do.
 */
export type Expression =
  | { readonly kind: 'literal'; readonly type: 'string'; readonly value: string }
  /** `value`: its decimal digits, since such numbers have 64 bits. */
  | { readonly kind: 'literal'; readonly type: 'int' | 'uint'; readonly value: string }
  | { readonly kind: 'literal'; readonly type: 'double'; readonly value: number }
  | { readonly kind: 'literal'; readonly type: 'bool'; readonly value: boolean }
  | { readonly kind: 'literal'; readonly type: 'null' }
  | { readonly kind: 'list'; readonly elements: readonly Expression[] }
  /** `path`: normalized, without the query. `address`: of the client, with a port behind it. */
  | { readonly kind: 'request'; readonly field: 'method' | 'path' | 'address' }
  /** Its value, of several values with commas between; `isThere`: whether the request has it. `name`: in lower case. */
  | { readonly kind: 'header'; readonly name: string; readonly isThere: boolean }
  /** The claims of a verified token; `isThere`: whether one was verified. `provider`: JwtProvider.id. */
  | { readonly kind: 'token'; readonly provider: string; readonly isThere: boolean }
  /** A field of claims; `isThere`: whether it is there. */
  | { readonly kind: 'select'; readonly operand: Expression; readonly field: string; readonly isThere: boolean }
  | { readonly kind: 'call'; readonly function: ExpressionFunction; readonly args: readonly Expression[] };

/** In CEL's own names for operators. The first argument of the last five is what they are called on. */
export const expressionFunctions = {
  '_&&_': 2,
  '_||_': 2,
  '!_': 1,
  '_?_:_': 3,
  '_==_': 2,
  '_!=_': 2,
  '_<_': 2,
  '_<=_': 2,
  '_>_': 2,
  '_>=_': 2,
  '@in': 2,
  '_[_]': 2,
  startsWith: 2,
  endsWith: 2,
  contains: 2,
  /** By a part of the text; the expression (RE2) is a literal. */
  matches: 2,
  size: 1,
} as const;
export type ExpressionFunction = keyof typeof expressionFunctions;
