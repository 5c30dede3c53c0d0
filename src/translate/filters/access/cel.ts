import type { MessageInitShape } from '@bufbuild/protobuf';
import type { PolicySchema } from '../../../envoy/index.ts';
import type * as ir from '../../../ir/index.ts';
import { jwtMetadata } from './jwt.ts';

export type Expr = NonNullable<Extract<MessageInitShape<typeof PolicySchema>, { $typeName?: never }>['condition']>;
type Kind = NonNullable<Expr['exprKind']>;

/** An expression as Envoy evaluates it, by the attributes that Envoy has. */
export function celExpr(expression: ir.Expression): Expr {
  let last = 0n;
  const node = (exprKind: Kind): Expr => {
    last += 1n;
    return { id: last, exprKind };
  };
  const name = (text: string) => node({ case: 'identExpr', value: { name: text } });
  const text = (value: string) => node({ case: 'constExpr', value: { constantKind: { case: 'stringValue', value } } });
  const select = (operand: Expr, field: string, testOnly = false) =>
    node({ case: 'selectExpr', value: { operand, field, testOnly } });
  const call = (name: string, args: Expr[]) => node({ case: 'callExpr', value: { function: name, args } });
  const metadata = () => select(name('metadata'), 'filter_metadata');
  const tokens = () => call('_[_]', [metadata(), text(jwtMetadata)]);
  const entry = (map: Expr, key: string, isThere: boolean) =>
    isThere ? call('@in', [text(key), map]) : call('_[_]', [map, text(key)]);

  function make(from: ir.Expression): Expr {
    switch (from.kind) {
      case 'literal':
        return node({ case: 'constExpr', value: { constantKind: constantOf(from) } });
      case 'list':
        return node({ case: 'listExpr', value: { elements: from.elements.map(make) } });
      case 'request':
        return select(
          name(from.field === 'address' ? 'source' : 'request'),
          from.field === 'path' ? 'url_path' : from.field,
        );
      case 'header':
        return entry(select(name('request'), 'headers'), from.name, from.isThere);
      case 'token':
        // Without any token that was verified, there is no map to look into.
        return from.isThere
          ? call('_&&_', [entry(metadata(), jwtMetadata, true), entry(tokens(), from.provider, true)])
          : entry(tokens(), from.provider, false);
      case 'select':
        return select(make(from.operand), from.field, from.isThere);
      case 'call':
        return isMethod(from.function)
          ? node({
              case: 'callExpr',
              value: {
                function: from.function,
                target: make(from.args[0] as ir.Expression),
                args: from.args.slice(1).map(make),
              },
            })
          : call(from.function, from.args.map(make));
    }
  }
  return make(expression);
}
const isMethod = (name: ir.ExpressionFunction): boolean => /^[a-z]/.test(name);

type Literal = Extract<ir.Expression, { kind: 'literal' }>;
type Constant = NonNullable<Extract<Kind, { case: 'constExpr' }>['value']['constantKind']>;

function constantOf(literal: Literal): Constant {
  switch (literal.type) {
    case 'string':
      return { case: 'stringValue', value: literal.value };
    case 'int':
      return { case: 'int64Value', value: BigInt(literal.value) };
    case 'uint':
      return { case: 'uint64Value', value: BigInt(literal.value) };
    case 'double':
      return { case: 'doubleValue', value: literal.value };
    case 'bool':
      return { case: 'boolValue', value: literal.value };
    case 'null':
      return { case: 'nullValue', value: 0 };
  }
}
