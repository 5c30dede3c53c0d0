import { HttpError } from '../http/index.ts';
import { type Endpoints, get } from '../resource/endpoint.ts';
import type { AdminSources } from '../sources.ts';
import { explanationOf, nearestCode } from './catalogue.ts';
import { explanation } from './record.ts';

/** `/v1/explain/{code}`: what a code, condition reason or response flag means. */
export const explain: Endpoints<AdminSources> = {
  endpoints: [
    get({
      path: '/v1/explain/:code',
      summary: 'What a problem, response flag, condition reason or error code means, and what to do',
      answer: explanation,
      errors: ['code_unknown'],
      handle({ params: { code } }) {
        const found = explanationOf(code);
        if (found) return found;
        throw new HttpError(
          'code_unknown',
          `${JSON.stringify(code.slice(0, 80))} is no code, reason or flag${nearestCode(code.slice(0, 80))}`,
        );
      },
    }),
  ],
};
