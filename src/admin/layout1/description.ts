import { type Endpoint, single } from '../endpoint.ts';
import { readQuery } from '../http/index.ts';
import { docsPage, openApiDocument, pagePolicy } from '../openapi/index.ts';
import type { World } from '../read-model/index.ts';

/** What the API says of itself. */
export const descriptionEndpoints = ({ version }: World): readonly Endpoint[] => [
  single('/openapi.json', () => openApiDocument(version)),
  {
    path: '/docs',
    handle: (ctx) => {
      readQuery(ctx, []);
      ctx.set('Content-Security-Policy', pagePolicy);
      ctx.type = 'text/html';
      ctx.body = docsPage(version);
    },
  },
];
