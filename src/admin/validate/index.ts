import { HttpError, whole } from '../http/index.ts';
import { managedTag } from '../managed-resources/index.ts';
import { manifest } from '../managed-resources/record.ts';
import type { ResourceStore } from '../managed-resources/resource-store.ts';
import { type Endpoints, question } from '../resource/endpoint.ts';
import { bodyErrors, bodyText, readerOf } from '../resource/read-body.ts';
import type { AdminSources } from '../sources.ts';
import { proposalReport } from './record.ts';
import { defaultTrialMs, validateProposal } from './validate-proposal.ts';

/** `POST /v1/validate`: what would happen to manifests. Changes nothing. */
export const validation: Endpoints<AdminSources & { readonly store: ResourceStore }> = {
  endpoints: [
    question({
      path: '/v1/validate',
      tag: managedTag,
      summary: 'What would happen to one or more objects in YAML; changes nothing, and the read-only token may ask',
      body: manifest,
      query: { trialSeconds: 'How long trials of EnvoyPatches by proxies may take: 1 to 120, 10 by default' },
      answer: proposalReport,
      errors: [
        ...bodyErrors,
        'query_invalid',
        'cluster_forbidden',
        'cluster_unavailable',
        'directory_unavailable',
        'not_ready',
      ],
      async handle({ ctx, query }, sources: AdminSources & { readonly store: ResourceStore }) {
        const text = bodyText(ctx);
        if (text === undefined)
          throw new HttpError('body_malformed', 'the body is empty', { details: [{ path: '', message: 'is empty' }] });
        const trialMs = whole('trialSeconds', query.get('trialSeconds') ?? `${defaultTrialMs / 1000}`, 1, 120) * 1000;
        return await validateProposal(text, { sources, store: sources.store, reader: readerOf(ctx), trialMs });
      },
    }),
  ],
};
