import type { IncomingMessage } from 'node:http';
import { createParser } from 'eventsource-parser';
import {
  type AddressGuard,
  below,
  bodyOf,
  OutgoingError,
  type OutgoingRequest,
  open,
  send,
} from '../../../outgoing/index.ts';
import { redactedText } from '../../../std/index.ts';
import { ChatError } from '../chatbot-error.ts';
import type { ChatSettings } from '../settings.ts';
import { type CompletionChunk, completionChunk } from './completion-chunk.ts';

/** A longer answer is not read. */
const maxAnswerBytes = 4 * 1024 * 1024;
const maxErrorBytes = 64 * 1024;
const maxListBytes = 4 * 1024 * 1024;
/** How much of a provider's error message is shown, in characters. */
const maxExcerpt = 300;

export interface ProviderOptions {
  readonly settings: ChatSettings;
  readonly guard: AddressGuard;
  /** Ends the call, the answer included. */
  readonly signal: AbortSignal;
}

/** Messages of a conversation in OpenAI's format. */
export type ModelMessage =
  | { readonly role: 'system' | 'user'; readonly content: string }
  | { readonly role: 'assistant'; readonly content: string | null; readonly tool_calls?: readonly ModelToolCall[] }
  | { readonly role: 'tool'; readonly tool_call_id: string; readonly content: string };

export interface ModelToolCall {
  readonly id: string;
  readonly type: 'function';
  readonly function: { readonly name: string; readonly arguments: string };
}

/**
 * One answer of the model, in pieces as they come. Ends when the provider says that it is whole. Throws ChatError, also for an answer that
 * ends before that.
 */
export async function* streamCompletion(
  question: { readonly messages: readonly ModelMessage[]; readonly tools?: readonly object[] | undefined },
  options: ProviderOptions,
): AsyncGenerator<CompletionChunk> {
  const { settings } = options;
  const body = {
    model: settings.model,
    temperature: settings.temperature,
    stream: true,
    stream_options: { include_usage: true },
    messages: question.messages,
    ...(question.tools && { tools: question.tools }),
  };
  const request = requestOf('POST', completionsUrl(settings.apiEndpoint), options, JSON.stringify(body));
  try {
    const response = await open(request, options.guard);
    if (response.statusCode !== 200) throw await rejectionOf(response, request);
    const isStream = (response.headers['content-type'] ?? '').includes('text/event-stream');
    yield* isStream ? streamedChunks(response, request) : wholeAnswer(response, request);
  } catch (caught) {
    throw chatErrorOf(caught, settings);
  }
}

/** Whether the provider answers at all, and lets us in. */
export async function testProvider(
  options: ProviderOptions,
): Promise<{ readonly ok: boolean; readonly message: string }> {
  const { settings, guard } = options;
  const root = settings.apiEndpoint.replace(/\/chat\/completions\/*$/, '');
  try {
    const answer = await send(requestOf('GET', below(new URL(root), '/models'), options), {
      guard,
      maxBytes: maxListBytes,
    });
    if (answer.status === 404 || answer.status === 405)
      return { ok: true, message: 'the provider answers, but has no list of models' };
    if (answer.status !== 200) throw rejection(answer.status, answer.text, '');
    const isListed = answer.text.includes(JSON.stringify(settings.model));
    return {
      ok: true,
      message: isListed ? 'the provider answers' : 'the provider answers, but does not list the model',
    };
  } catch (caught) {
    const error = chatErrorOf(caught, settings);
    if (!(error instanceof ChatError)) throw error;
    return { ok: false, message: error.message };
  }
}

function requestOf(
  method: 'GET' | 'POST',
  url: URL,
  { settings, signal }: ProviderOptions,
  body?: string,
): OutgoingRequest {
  return {
    method,
    url,
    headers: {
      accept: method === 'GET' ? 'application/json' : 'text/event-stream, application/json',
      ...(settings.apiKey !== '' && { authorization: `Bearer ${settings.apiKey}` }),
      ...(body !== undefined && { 'content-type': 'application/json' }),
    },
    ...(body !== undefined && { body }),
    signal,
  };
}

function completionsUrl(apiEndpoint: string): URL {
  const url = new URL(apiEndpoint);
  return /\/chat\/completions\/*$/.test(url.pathname) ? url : below(url, '/chat/completions');
}

/** Server-sent events until `[DONE]`, which not every provider sends, or a finish reason, which every one does. */
async function* streamedChunks(response: IncomingMessage, request: OutgoingRequest): AsyncGenerator<CompletionChunk> {
  const decoder = new TextDecoder();
  let arrived: string[] = [];
  const parser = createParser({ onEvent: ({ data }) => arrived.push(data) });
  let isFinished = false;
  for await (const bytes of bodyOf(response, request, maxAnswerBytes)) {
    parser.feed(decoder.decode(bytes, { stream: true }));
    const events = arrived;
    arrived = [];
    for (const data of events) {
      if (data.trim() === '[DONE]') return;
      const chunk = chunkOf(data);
      isFinished ||= chunk.choices.some(({ finish_reason }) => Boolean(finish_reason));
      yield chunk;
    }
  }
  if (!isFinished) throw new ChatError('model_answer_invalid', 'the answer of the model broke off');
}

/** Some providers do not stream, whatever they are asked. */
async function* wholeAnswer(response: IncomingMessage, request: OutgoingRequest): AsyncGenerator<CompletionChunk> {
  const chunk = chunkOf(await textOf(response, request, maxAnswerBytes));
  if (chunk.choices.length === 0)
    throw new ChatError('model_answer_invalid', 'the provider answered without any choice');
  yield chunk;
}

function chunkOf(text: string): CompletionChunk {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    throw invalid(text);
  }
  const { success, data } = completionChunk.safeParse(value);
  if (!success) throw invalid(text);
  if (data.error) throw new ChatError('model_failed', `the provider says: ${excerpt(data.error.message ?? text)}`);
  return data;
}

const invalid = (text: string): ChatError =>
  new ChatError('model_answer_invalid', `the provider answers what is not in OpenAI’s format: ${excerpt(text)}`);

async function textOf(response: IncomingMessage, request: OutgoingRequest, maxBytes: number): Promise<string> {
  const chunks: Buffer[] = [];
  for await (const chunk of bodyOf(response, request, maxBytes)) chunks.push(chunk);
  return Buffer.concat(chunks).toString('utf8');
}

async function rejectionOf(response: IncomingMessage, request: OutgoingRequest): Promise<ChatError> {
  const text = await textOf(response, request, maxErrorBytes).catch(() => '');
  return rejection(response.statusCode ?? 0, text, response.headers['retry-after'] ?? '');
}

function rejection(status: number, text: string, retryAfter: string): ChatError {
  const words = excerpt(wordsIn(text));
  const said = words === '' ? '' : `: ${words}`;
  if (status === 429) {
    const wait =
      retryAfter === ''
        ? 'later'
        : /^\d+$/.test(retryAfter)
          ? `in ${retryAfter} seconds`
          : `after ${excerpt(retryAfter)}`;
    return new ChatError('model_limited', `the provider asks to come back ${wait}${said}`);
  }
  if (status >= 500) return new ChatError('model_failed', `the provider is in trouble (${status})${said}`);
  return new ChatError('model_refused', `the provider rejects the request (${status})${said}`);
}

function wordsIn(text: string): string {
  try {
    const { error } = JSON.parse(text) as { readonly error?: { readonly message?: unknown } | string };
    const words = typeof error === 'string' ? error : error?.message;
    return typeof words === 'string' ? words : text;
  } catch {
    return text;
  }
}

const excerpt = (text: string): string => text.trim().slice(0, maxExcerpt);

function chatErrorOf(caught: unknown, { apiKey }: ChatSettings): unknown {
  if (caught instanceof ChatError) return withoutKey(caught, apiKey);
  if (!(caught instanceof OutgoingError)) return caught;
  if (caught.code === 'timeout')
    return new ChatError('model_timeout', 'the model did not come to an end in time', caught);
  if (caught.code === 'too_large') return new ChatError('model_answer_too_large', caught.message, caught);
  return new ChatError('model_unreachable', caught.message, caught);
}

/** A provider may quote the key that it rejects. */
function withoutKey(error: ChatError, apiKey: string): ChatError {
  if (apiKey === '' || !error.message.includes(apiKey)) return error;
  return new ChatError(error.code, error.message.replaceAll(apiKey, redactedText));
}
