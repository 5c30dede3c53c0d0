import { readQuery } from '../http/index.ts';
import { type Endpoint, single } from '../resource/endpoint.ts';
import type { AdminSources } from '../sources.ts';
import { docsPage, openApiDocument, pagePolicy } from './index.ts';

/** What the API says of itself. */
export const descriptionEndpoints = ({ version }: AdminSources): readonly Endpoint[] => [
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
