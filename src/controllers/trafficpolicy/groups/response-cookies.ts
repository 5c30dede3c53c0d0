import type { FilterGroup } from './group.ts';

export const responseCookies: FilterGroup<'responseCookies'> = {
  valueOf: ({ path, domain, secure, sameSite }) => ({
    ...(path && { path: path.map(({ from, to }) => ({ from, to })) }),
    ...(domain && { domain: domain.map(({ from, to }) => ({ from: from.toLowerCase(), to })) }),
    ...(secure && { secure }),
    ...(sameSite && { sameSite }),
  }),
};
