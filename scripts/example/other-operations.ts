/** What a provider counts for one answer. Input includes what was cached, output what was reasoned. */
export interface Used {
  readonly input: number;
  readonly output: number;
  readonly cached: number;
  readonly cacheWrite: number;
  readonly reasoning: number;
}

/** What OpenAI's other operations answer with, as a whole or in pieces; `asked`: the client wants to know what was used. */
export interface OtherOperation {
  whole(model: string, text: string, used: Used): object;
  pieces(model: string, text: string, used: Used, asked: boolean): readonly string[];
}

const data = (value: object): string => `data: ${JSON.stringify(value)}\n\n`;
const counts = ({ input, output }: Used) => ({
  prompt_tokens: input,
  completion_tokens: output,
  total_tokens: input + output,
});

const completion = (model: string, text: string, more: object = {}) => ({
  id: 'cmpl-1',
  object: 'text_completion',
  created: 1,
  model,
  choices: [{ index: 0, text, logprobs: null, finish_reason: 'stop' }],
  ...more,
});

const completions: OtherOperation = {
  whole: (model, text, used) => completion(model, text, { usage: counts(used) }),
  pieces: (model, text, used, asked) => [
    ...text.split(' ').map((word) => data(completion(model, `${word} `))),
    ...(asked ? [data({ ...completion(model, ''), choices: [], usage: counts(used) })] : []),
    'data: [DONE]\n\n',
  ],
};

/** Nothing comes out that would be counted. */
const embeddings: OtherOperation = {
  whole: (model, _, { input }) => ({
    object: 'list',
    model,
    data: [{ object: 'embedding', index: 0, embedding: [0.25, -0.5] }],
    usage: { prompt_tokens: input, total_tokens: input },
  }),
  pieces: () => [],
};

const response = (model: string, text: string, status: string, more: object = {}) => ({
  id: 'resp_1',
  object: 'response',
  created_at: 1,
  status,
  model,
  output: [
    {
      id: 'msg_1',
      type: 'message',
      role: 'assistant',
      status,
      content: [{ type: 'output_text', text, annotations: [] }],
    },
  ],
  ...more,
});

const responseUsage = ({ input, output, cached, reasoning }: Used) => ({
  usage: {
    input_tokens: input,
    input_tokens_details: { cached_tokens: cached },
    output_tokens: output,
    output_tokens_details: { reasoning_tokens: reasoning },
    total_tokens: input + output,
  },
});

/** Reports usage in any case. */
const responses: OtherOperation = {
  whole: (model, text, used) => response(model, text, 'completed', responseUsage(used)),
  pieces(model, text, used) {
    const event = (type: string, value: object) => `event: ${type}\n${data({ type, ...value })}`;
    return [
      event('response.created', { sequence_number: 0, response: response(model, '', 'in_progress', { usage: null }) }),
      ...text.split(' ').map((word, index) =>
        event('response.output_text.delta', {
          sequence_number: index + 1,
          item_id: 'msg_1',
          output_index: 0,
          content_index: 0,
          delta: `${word} `,
        }),
      ),
      event('response.completed', {
        sequence_number: 99,
        response: response(model, text, 'completed', responseUsage(used)),
      }),
    ];
  },
};

/** By path. */
export const otherOperations: Readonly<Record<string, OtherOperation>> = {
  '/v1/completions': completions,
  '/v1/embeddings': embeddings,
  '/v1/responses': responses,
};
