import type { parse } from '@bufbuild/cel';

/** A part of an expression that was parsed. */
export type CelNode = ReturnType<typeof parse>['expr'];

/** `request.headers`, of names alone. */
export function celPath({ exprKind }: CelNode): string | undefined {
  if (exprKind.case === 'identExpr') return exprKind.value.name;
  if (exprKind.case !== 'selectExpr' || exprKind.value.testOnly || !exprKind.value.operand) return undefined;
  const root = celPath(exprKind.value.operand);
  return root === undefined ? undefined : `${root}.${exprKind.value.field}`;
}

/** What a literal of text says. */
export const celText = ({ exprKind }: CelNode): string | undefined =>
  exprKind.case === 'constExpr' && exprKind.value.constantKind.case === 'stringValue'
    ? exprKind.value.constantKind.value
    : undefined;
