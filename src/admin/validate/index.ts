import type { Router } from '@koa/router';
import * as z from 'zod';
import { HttpError, readQuery } from '../http/index.ts';
import type { ResourceStore } from '../managed-resources/index.ts';
import { readBodyText, readerOf } from '../resource/read-body.ts';
import type { AdminSources } from '../sources.ts';
import { validateProposal } from './validate-proposal.ts';

/** Adds `POST /v1/validate`: what would become of manifests. Changes nothing. */
export function mountValidate(
  router: Router,
  options: { readonly sources: AdminSources; readonly store: ResourceStore },
): void {
  router.post('/v1/validate', readBodyText, async (ctx) => {
    readQuery(ctx, []);
    const { body } = ctx.request as typeof ctx.request & { body?: unknown };
    if (typeof body !== 'string' || body.trim() === '')
      throw new HttpError('body_malformed', 'the body is empty', { details: [{ path: '', message: 'is empty' }] });
    ctx.body = await validateProposal(body, { ...options, reader: readerOf(ctx) });
  });
}

export const proposalReport = z.strictObject({
  valid: z.boolean(),
  errors: z.array(z.string()),
  warnings: z.array(z.string()),
  objects: z.array(
    z.strictObject({
      kind: z.string(),
      namespace: z.string(),
      name: z.string(),
      operation: z.enum(['created', 'updated', 'unchanged']),
      before: z.string(),
      after: z.string(),
    }),
  ),
});
