import * as z from 'zod';
import { apiVersionOf } from '../../gateway-api/index.ts';
import { HttpError, setTag } from '../http/index.ts';
import { getManagedKind } from '../managed-resources/managed-kinds.ts';
import { type Endpoints, get } from '../resource/endpoint.ts';
import type { AdminSources } from '../sources.ts';

const schema = z
  .looseObject({ type: z.literal('object'), description: z.string().optional() })
  .meta({ id: 'KindSchema', description: 'The schema of objects of a kind, as its CustomResourceDefinition has it.' });

/** `/v1/schemas/{kind}`: what objects of a kind may hold, for editors that complete and explain fields. */
export const schemas: Endpoints<AdminSources> = {
  endpoints: [
    get({
      path: '/v1/schemas/:kind',
      summary: 'The JSON schema of a kind, with the descriptions of its fields',
      answer: schema,
      errors: ['kind_unsupported', 'kind_unavailable'],
      async handle({ params, ctx }, { schemaOf, tagOf }: AdminSources) {
        const kind = getManagedKind(params.kind);
        const found = await schemaOf(kind);
        if (found === undefined) throw new HttpError('kind_unavailable', `${kind.name} has no definition here`);
        // Definitions are read once.
        if (setTag(ctx, `${tagOf()}-${kind.name}`)) return undefined;
        const group = { group: kind.group, kind: kind.name, version: kind.version };
        const { properties } = found as { readonly properties?: object };
        return {
          ...found,
          type: 'object' as const,
          properties: {
            ...properties,
            apiVersion: { type: 'string', enum: [apiVersionOf(kind)] },
            kind: { type: 'string', enum: [kind.name] },
          },
          'x-kubernetes-group-version-kind': [group],
        };
      },
    }),
  ],
};
