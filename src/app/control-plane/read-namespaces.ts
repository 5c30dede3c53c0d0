import type { Config } from '../../config/index.ts';

/** The namespaces that are read; undefined: all, as always of a directory. */
export const readNamespaces = ({ source }: Pick<Config, 'source'>): readonly string[] | undefined =>
  source.kind === 'kubernetes' ? source.namespaces : undefined;
