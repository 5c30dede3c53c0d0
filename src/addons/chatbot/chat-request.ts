import * as z from 'zod';

const message = z.strictObject({
  role: z.enum(['system', 'user', 'assistant']),
  content: z.string().max(65_536),
});

const text = z.string().max(32_768);
const name = z.string().max(253);

/** The body of a chat. `message` is another name for `prompt`. */
export const chatBody = z
  .strictObject({
    prompt: text.optional().describe('The question'),
    message: text.optional().describe('Another name for `prompt`'),
    history: z.array(message).max(1000).default([]).describe('What was said before; the last 40 messages count'),
    context: z
      .strictObject({ kind: name, namespace: name.optional(), name: name })
      .optional()
      .describe('The object that the user is looking at'),
  })
  .meta({ id: 'ChatRequest', description: 'A question to the chatbot.' })
  .refine(({ prompt, message: other }) => (prompt ?? other ?? '').trim() !== '', {
    path: ['prompt'],
    error: 'is missing or empty',
  });

export type ChatBody = z.output<typeof chatBody>;

export interface ChatRequest {
  readonly prompt: string;
  readonly history: readonly z.output<typeof message>[];
  readonly context?:
    | { readonly kind: string; readonly namespace?: string | undefined; readonly name: string }
    | undefined;
}

/** So many messages of before are kept. */
const keptHistory = 40;

export const chatRequestOf = ({ prompt, message: other, history, context }: ChatBody): ChatRequest => ({
  prompt: (prompt ?? other ?? '').trim(),
  history: history.slice(-keptHistory),
  context,
});
