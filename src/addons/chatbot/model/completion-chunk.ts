import * as z from 'zod';

// The fields of OpenAI's chat completions that are read. Other providers leave out or add fields, which is no error.

const toolCall = z.looseObject({
  /** Missing in whole answers, and with some providers in streams. */
  index: z.int().min(0).max(127).optional(),
  id: z.string().nullish(),
  function: z.looseObject({ name: z.string().nullish(), arguments: z.string().nullish() }).optional(),
});

const message = z.looseObject({ content: z.string().nullish(), tool_calls: z.array(toolCall).nullish() });

/** One event of a stream, or a whole answer: that has `message` in place of `delta`. */
export const completionChunk = z.looseObject({
  choices: z
    .array(
      z.looseObject({
        delta: message.nullish(),
        message: message.nullish(),
        finish_reason: z.string().nullish(),
      }),
    )
    .default([]),
  usage: z.looseObject({ prompt_tokens: z.number().nullish(), completion_tokens: z.number().nullish() }).nullish(),
  error: z.looseObject({ message: z.string().optional() }).nullish(),
});

export type CompletionChunk = z.output<typeof completionChunk>;
export type ToolCallPart = z.output<typeof toolCall>;
