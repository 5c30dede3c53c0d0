import { parse } from '@bufbuild/cel';
import {
  celNestingFault,
  celPath,
  celPatternFault,
  celPlace,
  celSyntaxFault,
  celText,
  headerNameFault,
} from '../../../../graph/model/index.ts';
import * as ir from '../../../../ir/index.ts';

type Parsed = ReturnType<typeof parse>;
type Node = Parsed['expr'];

/** What a text comes to; each fault begins with `LINE:COLUMN: `. */
type ReadExpression = { readonly expression: ir.Expression } | { readonly faults: readonly string[] };

/** `findProvider`: the id of a provider of tokens by the name in the text; undefined: it is not known. */
export function readExpression(text: string, findProvider: (name: string) => string | undefined): ReadExpression {
  const tooDeep = celNestingFault(text);
  if (tooDeep) return { faults: [tooDeep] };
  let parsed: Parsed;
  try {
    parsed = parse(text);
  } catch (error) {
    return { faults: [celSyntaxFault(error)] };
  }
  const reader = new Reader(text, parsed, findProvider);
  const expression = reader.read(parsed.expr);
  if (expression && reader.faults.length === 0 && !mayBeBool(expression))
    reader.fault(parsed.expr, 'it is no condition: compare it with something');
  return expression && reader.faults.length === 0 ? { expression } : { faults: reader.faults };
}

const mayBeBool = (expression: ir.Expression): boolean => {
  if (expression.kind === 'literal') return expression.type === 'bool';
  if (expression.kind === 'header' || expression.kind === 'token') return expression.isThere;
  if (expression.kind === 'call') return expression.function !== 'size';
  return expression.kind === 'select';
};

const fields: Readonly<Record<string, Extract<ir.Expression, { kind: 'request' }>['field']>> = {
  'request.method': 'method',
  'request.url_path': 'path',
  'source.address': 'address',
};

const known = `request.method, request.url_path, request.headers['NAME'], source.address and jwt.PROVIDER`;

/** Where a comparison would not say what it seems to say, and what does. */
const advice: ReadonlyMap<string, string> = new Map([
  ['request.path', 'it has the query, so a client can change how it ends: use request.url_path'],
  [
    'request.host',
    'clients may write it in capitals or with a port: target the route or the listener of a host instead',
  ],
  ['connection', 'a certificate is there too when it was not verified: use clientCertificates of the same condition'],
  ['metadata', 'claims are in jwt.PROVIDER'],
]);

class Reader {
  readonly faults: string[] = [];
  readonly #text: string;
  readonly #parsed: Parsed;
  readonly #findProvider: (name: string) => string | undefined;

  constructor(text: string, parsed: Parsed, findProvider: (name: string) => string | undefined) {
    this.#text = text;
    this.#parsed = parsed;
    this.#findProvider = findProvider;
  }

  /** Undefined after a fault; what is beside it is read all the same, so that all faults are found. */
  fault(node: Node, message: string): undefined {
    this.faults.push(`${celPlace(this.#text, this.#parsed.sourceInfo?.positions[String(node.id)] ?? 0)}: ${message}`);
    return undefined;
  }

  read(node: Node): ir.Expression | undefined {
    const { exprKind } = node;
    switch (exprKind.case) {
      case 'constExpr':
        return literalOf(exprKind.value) ?? this.fault(node, 'bytes are not available: write a string');
      case 'listExpr': {
        const elements = exprKind.value.elements.map((each) => this.read(each));
        return elements.every((each) => each !== undefined) ? { kind: 'list', elements } : undefined;
      }
      case 'identExpr':
        return this.#unknown(node, exprKind.value.name);
      case 'selectExpr':
        return this.#select(node, exprKind.value);
      case 'callExpr':
        return this.#call(node, exprKind.value);
      case 'comprehensionExpr':
        return this.fault(node, 'all, exists, exists_one, map and filter are not available; use in');
      default:
        return this.fault(node, 'maps and messages are not available');
    }
  }

  #unknown(node: Node, name: string): undefined {
    const root = name.split('.')[0] ?? '';
    const instead = advice.get(name) ?? advice.get(root);
    return this.fault(node, `${name} is not available: ${instead ?? `known are ${known}`}`);
  }

  #select(node: Node, { operand, field, testOnly }: Extract<Node['exprKind'], { case: 'selectExpr' }>['value']) {
    if (!operand) return undefined;
    const root = celPath(operand);
    if (root === 'request.headers') return this.#header(node, field, testOnly);
    if (root === 'jwt') return this.#token(node, field, testOnly);
    if (root === 'request' || root === 'source') {
      const name = fields[`${root}.${field}`];
      if (name && !testOnly) return { kind: 'request', field: name } as const;
      if (`${root}.${field}` === 'request.headers')
        return this.fault(node, "name one header: request.headers['x-team']");
      return this.#unknown(node, `${root}.${field}`);
    }
    const of = this.read(operand);
    if (of && !isClaim(of)) return this.fault(node, `only claims of tokens have fields: .${field} is not available`);
    return of && ({ kind: 'select', operand: of, field, isThere: testOnly } as const);
  }

  #call(node: Node, { function: name, target, args }: Extract<Node['exprKind'], { case: 'callExpr' }>['value']) {
    const all = [...(target ? [target] : []), ...args];
    const [first, second] = all;
    const arity = Object.hasOwn(ir.expressionFunctions, name)
      ? ir.expressionFunctions[name as ir.ExpressionFunction]
      : 0;
    if (arity !== all.length || !first)
      return this.fault(node, `${operatorOf(name)} is not available: known are ${functionNames}`);
    if (name === '_[_]' && second) {
      const root = celPath(first);
      const key = celText(second);
      if (root === 'request.headers' || root === 'jwt') {
        if (key === undefined) return this.fault(second, `${root}[…] wants a name in quotes`);
        return root === 'jwt' ? this.#token(node, key, false) : this.#header(node, key, false);
      }
    }
    if (name === '@in' && second) {
      const root = celPath(second);
      const key = celText(first);
      if (root === 'request.headers' || root === 'jwt') {
        if (key === undefined) return this.fault(first, `in ${root} wants a name in quotes before it`);
        return root === 'jwt' ? this.#token(node, key, true) : this.#header(node, key, true);
      }
    }
    if (name === 'matches' && second && !this.#isPattern(second)) return undefined;
    const read = all.map((each) => this.read(each));
    if (!read.every((each) => each !== undefined)) return undefined;
    const [of] = read;
    if (name === '_[_]' && of && !isClaim(of) && of.kind !== 'list')
      return this.fault(node, 'only claims, headers and lists have entries');
    return { kind: 'call', function: name as ir.ExpressionFunction, args: read } as const;
  }

  #header(node: Node, written: string, isThere: boolean) {
    const name = written.toLowerCase();
    const wrong =
      headerNameFault(written) ??
      (ir.isOwnHeader(name) ? `header ${name} is one that proxies write for themselves` : undefined);
    if (name === 'host' || name.startsWith(':'))
      return this.#unknown(node, name === ':path' ? 'request.path' : 'request.host');
    return wrong ? this.fault(node, wrong) : ({ kind: 'header', name, isThere } as const);
  }

  #token(node: Node, name: string, isThere: boolean) {
    const provider = this.#findProvider(name);
    if (provider !== undefined) return { kind: 'token', provider, isThere } as const;
    return this.fault(
      node,
      `jwt has no provider ${JSON.stringify(name)} of this policy; write jwt['NAMESPACE/POLICY/PROVIDER'] for another one's`,
    );
  }

  /** What a client could choose must not be compiled. */
  #isPattern(node: Node): boolean {
    const pattern = celText(node);
    if (pattern === undefined) {
      this.fault(node, 'matches wants its regular expression in quotes');
      return false;
    }
    const wrong = celPatternFault(pattern);
    if (wrong) this.fault(node, `the regular expression ${JSON.stringify(pattern)} ${wrong}`);
    return wrong === undefined;
  }
}

/** Claims may hold claims. */
const isClaim = (expression: ir.Expression): boolean =>
  (expression.kind === 'token' && !expression.isThere) ||
  (expression.kind === 'select' && !expression.isThere) ||
  (expression.kind === 'call' && expression.function === '_[_]');

function literalOf({
  constantKind,
}: Extract<Node['exprKind'], { case: 'constExpr' }>['value']): ir.Expression | undefined {
  switch (constantKind.case) {
    case 'stringValue':
      return { kind: 'literal', type: 'string', value: constantKind.value };
    case 'int64Value':
      return { kind: 'literal', type: 'int', value: String(constantKind.value) };
    case 'uint64Value':
      return { kind: 'literal', type: 'uint', value: String(constantKind.value) };
    case 'doubleValue':
      return { kind: 'literal', type: 'double', value: constantKind.value };
    case 'boolValue':
      return { kind: 'literal', type: 'bool', value: constantKind.value };
    case 'nullValue':
      return { kind: 'literal', type: 'null' };
    default:
      return undefined;
  }
}

/** `_+_` is written `+`. */
const operatorOf = (name: string): string => name.replace(/^@|(?<=[^\w])_+$|^_+(?=[^\w])|_(?=[:?\]])/g, '') || name;

const functionNames = '&&, ||, !, ? :, ==, !=, <, <=, >, >=, in, startsWith, endsWith, contains, matches and size';
