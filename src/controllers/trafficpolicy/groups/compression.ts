import type { FilterGroup } from './group.ts';

const algorithmNames = { Zstd: 'zstd', Brotli: 'brotli', Gzip: 'gzip' } as const;

export const compression: FilterGroup<'compression'> = {
  valueOf: ({ algorithms = ['Zstd', 'Brotli', 'Gzip'], minBytes = 1024, contentTypes }) => ({
    algorithms: algorithms.map((algorithm) => algorithmNames[algorithm]),
    minBytes,
    ...(contentTypes && { contentTypes }),
  }),
};
