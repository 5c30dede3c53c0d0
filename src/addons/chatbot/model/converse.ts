import type { AskAdmin } from '../ask-admin.ts';
import type { ChatRequest } from '../chat-request.ts';
import type { ChatEvent } from '../events.ts';
import { Framing } from '../framing.ts';
import { type DryRun, dryRun, proposalEvents, proposedManifests } from '../proposals.ts';
import { runTool } from '../tools/index.ts';
import { Answer } from './answer.ts';
import { conversationOf, correctionText, modelTools } from './instructions.ts';
import { type ModelMessage, type ModelToolCall, type ProviderOptions, streamCompletion } from './provider.ts';

export interface ConverseOptions extends ProviderOptions {
  readonly ask: AskAdmin;
}

/** So often the model may ask tools before it has to answer. */
const maxToolRounds = 8;
/** Of one round; a model that asks for more gets to hear so. */
const maxCallsPerRound = 16;
/** How often the model may correct its manifests after a failed dry run. */
const maxCorrections = 2;

/** Lets a model answer with the help of tools, and tries what it proposes. Throws ChatError when the provider fails. */
export async function* converse(request: ChatRequest, options: ConverseOptions): AsyncGenerator<ChatEvent> {
  const framing = new Framing();
  const messages = conversationOf(request, framing);
  const usage = { inputTokens: 0, outputTokens: 0 };
  let corrections = 0;
  for (let rounds = 0; ; ) {
    const answer = new Answer();
    const mayCall = rounds < maxToolRounds;
    for await (const chunk of streamCompletion({ messages, tools: mayCall ? modelTools : undefined }, options)) {
      const text = answer.add(chunk);
      if (text !== '') yield { type: 'text', text };
    }
    usage.inputTokens += answer.inputTokens;
    usage.outputTokens += answer.outputTokens;
    const calls = mayCall ? answer.toolCalls : [];
    if (calls.length > 0) {
      rounds += 1;
      messages.push({ role: 'assistant', content: answer.text || null, tool_calls: calls });
      yield* callTools(calls, messages, framing, options);
      continue;
    }
    const manifests = proposedManifests(answer.text);
    const tried = manifests === undefined ? undefined : await dryRun(manifests, options.ask, options.signal);
    if (manifests !== undefined && tried !== undefined) {
      yield* proposalEvents(manifests, tried, corrections > 0);
      if (!tried.valid && tried.tried && corrections < maxCorrections) {
        corrections += 1;
        yield progress(corrections, tried);
        messages.push({ role: 'assistant', content: answer.text });
        messages.push({ role: 'user', content: correctionText(tried.errors, framing) });
        continue;
      }
      if (!tried.valid) yield failed(tried, corrections);
    }
    if (answer.text === '' && calls.length === 0)
      yield { type: 'text', text: 'The model gave no answer. Ask again, or another way.' };
    yield { type: 'usage', ...usage };
    yield { type: 'done', finishReason: answer.finishReason };
    return;
  }
}

async function* callTools(
  calls: readonly ModelToolCall[],
  messages: ModelMessage[],
  framing: Framing,
  { ask, signal }: ConverseOptions,
): AsyncGenerator<ChatEvent> {
  for (const [index, { id, function: called }] of calls.entries()) {
    const { name } = called;
    const given = argumentsOf(called.arguments);
    yield { type: 'tool_call', id, name, arguments: given.value };
    const outcome =
      index >= maxCallsPerRound || given.fault !== undefined
        ? rejectedCall(given.fault ?? `more than ${maxCallsPerRound} calls at once`)
        : await runTool(name, given.value, ask, signal);
    const { ok, summary, bytes } = outcome;
    yield { type: 'tool_result', id, name, ok, summary, bytes };
    messages.push({ role: 'tool', tool_call_id: id, content: framing.wrap(outcome.text) });
  }
}

const rejectedCall = (message: string) => ({
  ok: false,
  summary: message,
  text: message,
  bytes: Buffer.byteLength(message),
});

function argumentsOf(text: string): { readonly value: unknown; readonly fault?: string } {
  if (text.trim() === '') return { value: {} };
  try {
    return { value: JSON.parse(text) };
  } catch {
    return { value: {}, fault: 'the arguments are not valid JSON' };
  }
}

const progress = (attempt: number, { errors }: DryRun): ChatEvent => ({
  type: 'correction_progress',
  attempt,
  maxRetries: maxCorrections,
  status: `The dry run rejected the manifests (${errors[0] ?? 'no reason given'}); correction ${attempt} of ${maxCorrections}`,
});

const failed = ({ errors, tried }: DryRun, corrections: number): ChatEvent => ({
  type: 'correction_failed',
  error: errors.join('; '),
  status: tried
    ? `The manifests are still rejected after ${corrections} corrections`
    : 'The manifests could not be tried',
});
