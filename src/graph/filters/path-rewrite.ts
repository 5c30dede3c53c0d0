import type * as ir from '../../ir/index.ts';
import { hostnameFault, textFault } from '../model/index.ts';
import type { RewriteSpec } from './filter-module.ts';

/** `prefix` is the PathPrefix of the match. It is missing for other matches; the CRD's rules keep ReplacePrefixMatch from these. */
export function pathRewrite(path: NonNullable<RewriteSpec['path']>, prefix: string | undefined): ir.PathRewrite {
  if (path.type === 'ReplaceFullPath') return { kind: 'full', value: path.replaceFullPath ?? '/' };
  return { kind: 'prefix', from: prefix ?? '/', value: path.replacePrefixMatch ?? '/' };
}

/** What a proxy would reject in the new host or path of a request. */
export const targetFaults = (target: RewriteSpec | undefined): readonly (string | undefined)[] => [
  target?.hostname === undefined ? undefined : hostnameFault(target.hostname),
  textFault('the path that takes the place of the request’s', target?.path?.replaceFullPath),
  textFault('the path that takes the place of the request’s', target?.path?.replacePrefixMatch),
];
