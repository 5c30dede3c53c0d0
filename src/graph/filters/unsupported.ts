import type { FilterModule } from './filter-module.ts';

export const unsupported: FilterModule = {
  resolve: ({ type }) => ({
    fault: {
      reason: 'UnsupportedValue',
      message: `filter ${type} is not supported; requests of its rule are answered 500`,
    },
  }),
};
