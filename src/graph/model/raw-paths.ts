import * as ir from '../../ir/index.ts';
import type { ListenerOwner } from './listener-owner.ts';

/** A listener at which two spellings of a path are two paths to rules, and may be one to a server behind it. */
export interface RawListener {
  readonly owner: ListenerOwner;
  readonly name: string;
  /** Key of the ListenerPolicy that wants it so. */
  readonly policy: string;
}

/** A listener whose policies of some levels are not in force, since its table has no room for them: requests are answered 500. */
export interface CrowdedListener {
  readonly owner: ListenerOwner;
  readonly name: string;
  readonly port: number;
  readonly levels: readonly ir.TableLevel[];
}

/** A listener with parts for which requests wait at all levels, so that proxies have no place for one more such demand while it moves. */
export interface FullListener {
  readonly owner: ListenerOwner;
  readonly name: string;
  readonly port: number;
  readonly parts: readonly ir.AccessPart[];
}

/** Whether paths reach rules as clients spell them, with `..`, `//` or `%2F`. */
export const leavesPathsRaw = ({
  normalize = true,
  mergeSlashes = true,
  escapedSlashes,
}: ir.PathSettings = {}): boolean => !normalize || !mergeSlashes || escapedSlashes === 'Keep';

/** What is demanded at such a listener: rules by path would not hold for all spellings, so they let no request in. */
export function closedOnRawPaths<A extends ir.Access>(access: A): A {
  const isByPath = ({ paths, cel }: ir.AccessCondition): boolean =>
    paths !== undefined || (cel !== undefined && looksAtPath(cel));
  if (!access.authorization?.rules.some(({ when }) => when.some(isByPath))) return access;
  const { authorization: _, closed: before = [], ...rest } = access;
  const closed = ir.accessParts.filter((part) => part === 'authorization' || before.includes(part));
  return { closed, ...rest } as unknown as A;
}

function looksAtPath(expression: ir.Expression): boolean {
  switch (expression.kind) {
    case 'request':
      return expression.field === 'path';
    case 'list':
      return expression.elements.some(looksAtPath);
    case 'select':
      return looksAtPath(expression.operand);
    case 'call':
      return expression.args.some(looksAtPath);
    default:
      return false;
  }
}
