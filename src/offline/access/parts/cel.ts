import { isIPv6 } from 'node:net';
import { type CelInput, type CelResult, celEnv, celList, celMap, plan } from '@bufbuild/cel';
import { ExprSchema } from '@bufbuild/cel-spec/cel/expr/syntax_pb.js';
import { create, type MessageInitShape } from '@bufbuild/protobuf';
import type * as ir from '../../../ir/index.ts';
import { celExpr, jwtMetadata } from '../../../translate/filters/index.ts';
import type { Presented } from '../presented.ts';

/** Whether an expression holds for a request, as Envoy's evaluation of the same says. `unknown`: the client's address would decide it. */
export function holdsExpression(expression: ir.Expression, request: Presented): boolean | 'unknown' {
  const all = [...inside(expression)];
  const looksAtAddress = all.some((each) => each.kind === 'request' && each.field === 'address');
  if (looksAtAddress && request.address === undefined) return 'unknown';
  const headers = all.flatMap((each) => (each.kind === 'header' ? each.name : []));
  const bindings = bindingsOf(request, new Set(headers));
  const valueIn: ValueOf = (each) => compiled(each)(bindings);
  return valueIn(expression) === true && !failsWhole(expression, valueIn);
}

type Evaluate = (bindings: Record<string, CelInput>) => CelResult;
type ValueOf = (expression: ir.Expression) => CelResult;

const known = new WeakMap<ir.Expression, Evaluate>();

function compiled(expression: ir.Expression): Evaluate {
  // Envoy has a copy of the same definition under an older name.
  const made =
    known.get(expression) ??
    plan(celEnv(), create(ExprSchema, celExpr(expression) as MessageInitShape<typeof ExprSchema>));
  known.set(expression, made);
  return made;
}

/**
 * Whether Envoy gives the evaluation up. Its `matches` does so for what is no text, where CEL has an error that `||` may take back. What is not
 * evaluated does not count.
 */
function failsWhole(expression: ir.Expression, valueIn: ValueOf): boolean {
  const fails = (each: ir.Expression | undefined): boolean => each !== undefined && failsWhole(each, valueIn);
  if (expression.kind === 'list') return expression.elements.some(fails);
  if (expression.kind === 'select') return fails(expression.operand);
  if (expression.kind !== 'call') return false;
  const [first, second, third] = expression.args;
  if (first === undefined || fails(first)) return true;
  switch (expression.function) {
    case '_||_':
      return valueIn(first) !== true && fails(second);
    case '_&&_':
      return valueIn(first) !== false && fails(second);
    case '_?_:_':
      return valueIn(first) === true ? fails(second) : valueIn(first) === false && fails(third);
    case 'matches':
      return typeof valueIn(first) !== 'string';
    default:
      return expression.args.some(fails);
  }
}

function* inside(expression: ir.Expression): Generator<ir.Expression> {
  yield expression;
  if (expression.kind === 'list') for (const each of expression.elements) yield* inside(each);
  if (expression.kind === 'call') for (const each of expression.args) yield* inside(each);
  if (expression.kind === 'select') yield* inside(expression.operand);
}

function bindingsOf(request: Presented, names: ReadonlySet<string>): Record<string, CelInput> {
  const { method, path, address = '', claims } = request;
  const headers = [...names].flatMap((name): [string, string][] => {
    const values = request.header(name);
    return values.length > 0 ? [[name, values.join(',')]] : [];
  });
  return {
    request: celMap(
      new Map<string, CelInput>([
        ['method', method],
        ['url_path', path],
        ['headers', celMap(new Map(headers))],
      ]),
    ),
    // The port does not matter, but Envoy writes one.
    source: celMap(new Map([['address', `${isIPv6(address) ? `[${address}]` : address}:0`]])),
    metadata: celMap(new Map([['filter_metadata', celValueOf({ [jwtMetadata]: Object.fromEntries(claims) })]])),
  };
}

/** A claim, as JSON has it. */
function celValueOf(value: unknown): CelInput {
  if (Array.isArray(value)) return celList(value.map(celValueOf));
  if (typeof value === 'object' && value !== null)
    return celMap(new Map(Object.entries(value).map(([name, member]) => [name, celValueOf(member)])));
  return value as string | number | boolean | null;
}
