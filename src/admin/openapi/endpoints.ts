import { type Endpoints, get } from '../resource/endpoint.ts';
import type { AdminSources } from '../sources.ts';
import { docsPage, pagePolicy } from './page.ts';

/** What the API says of itself. */
export const description: Endpoints<AdminSources> = {
  endpoints: [
    get({
      path: '/openapi.json',
      summary: 'This description',
      media: 'application/json',
      handle: (_, { description: { document } }: AdminSources) => document,
    }),
    get({
      path: '/docs',
      summary: 'This description as a page',
      media: 'text/html',
      handle({ ctx }, { description: { version, operations } }: AdminSources) {
        ctx.set('Content-Security-Policy', pagePolicy);
        ctx.type = 'text/html';
        return docsPage(version, operations);
      },
    }),
  ],
};
