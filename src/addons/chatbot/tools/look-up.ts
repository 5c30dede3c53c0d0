import * as z from 'zod';
import { counted } from '../../../std/index.ts';
import { withQuery } from '../ask-admin.ts';
import { tool } from './tool.ts';
import type { DocsAnswer, ExplanationAnswer, FoundAnswer } from './wire.ts';

export const findObjectsTool = tool({
  name: 'find_objects',
  title: 'Which objects a word may mean',
  description:
    'Finds objects of every kind by name, NAMESPACE/NAME or hostname, and those whose name contains the word or is nearly it. Use it before you speak of an object whose kind and namespace were not given, and for “did you mean”.',
  input: z.strictObject({
    words: z
      .array(
        z
          .string()
          .min(1)
          .max(320)
          .regex(/^[^,]+$/),
      )
      .min(1)
      .max(16)
      .describe('Up to 16 names or hostnames'),
  }),
  async run({ words }, { ask }) {
    const value = (await ask({ method: 'GET', path: withQuery('/v1/search', { words: words.join(',') }) }))
      .body as readonly FoundAnswer[];
    const exact = value.flatMap(({ matches }) => matches.filter(({ by }) => by === 'name' || by === 'hostname'));
    return { summary: counted(exact.length, 'object'), value };
  },
});

export const explainCodeTool = tool({
  name: 'explain_code',
  title: 'What a code means',
  description:
    'Explains a response flag of Envoy (UF, UH, NR …), the reason of a condition, a problem’s code or an error code: meaning, causes, steps.',
  input: z.strictObject({
    code: z.string().min(1).max(80).describe('Such as UF, NoMatchingParent or certificate_expired'),
  }),
  async run({ code }, { ask }) {
    const value = (await ask({ method: 'GET', path: `/v1/explain/${encodeURIComponent(code)}` }))
      .body as ExplanationAnswer;
    return { summary: value.summary, value };
  },
});

export const searchDocsTool = tool({
  name: 'search_docs',
  title: 'How something is done',
  description:
    'Searches this release’s documentation and examples for English words; gives passages with their page and anchor, and manifests of examples. Use it for every question how something is configured, and cite the links.',
  input: z.strictObject({
    query: z.string().min(1).max(400).describe('English words, such as: redirect https'),
    limit: z.int().min(1).max(20).default(6),
  }),
  async run({ query, limit }, { ask }) {
    const path = withQuery('/v1/chatbot/docs', { query, limit });
    const value = (await ask({ method: 'GET', path })).body as DocsAnswer;
    return { summary: counted(value.hits.length, 'passage'), value };
  },
});
