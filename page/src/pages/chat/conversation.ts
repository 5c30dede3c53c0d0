import { signal } from '@preact/signals';
import { createParser } from 'eventsource-parser';
import { ApiError, apiUrl, ask } from '../../api/index.ts';

/** A question and what came back so far. */
export interface Turn {
  readonly question: string;
  readonly answer: string;
  /** Names of the tools that were asked. */
  readonly tools: readonly string[];
  readonly proposal:
    | { readonly manifests: string; readonly valid: boolean; readonly errors: readonly string[] }
    | undefined;
  readonly diff: string;
  readonly error: string;
  readonly isDone: boolean;
}

/** The conversation of this tab; it ends with a reload. */
export const turns = signal<readonly Turn[]>([]);
/** Ends the answer that is coming; undefined while none is. */
export const stopAnswer = signal<(() => void) | undefined>(undefined);

const empty = { answer: '', tools: [], proposal: undefined, diff: '', error: '', isDone: false };
/** Turns that are sent along, so that a body stays far under its limit. */
const mostHistory = 10;
const longestAnswer = 4_000;

/** Asks, and fills the last turn as the answer arrives. */
export async function askQuestion(question: string): Promise<void> {
  const history = turns.peek().slice(-mostHistory).flatMap(spoken);
  turns.value = [...turns.peek(), { question, ...empty }];
  const abort = new AbortController();
  stopAnswer.value = () => abort.abort();
  try {
    const body = { prompt: question, history };
    const response = await ask(apiUrl('/v1/chatbot/chat'), { method: 'POST', body, signal: abort.signal });
    await read(response);
  } catch (error) {
    if (!abort.signal.aborted) change({ error: error instanceof ApiError ? error.message : String(error) });
  } finally {
    stopAnswer.value = undefined;
    change({ isDone: true });
  }
}

const spoken = ({ question, answer }: Turn) => [
  { role: 'user', content: question },
  ...(answer === '' ? [] : [{ role: 'assistant', content: answer.slice(0, longestAnswer) }]),
];

function change(part: Partial<Turn>): void {
  const last = turns.peek().at(-1);
  if (last !== undefined) turns.value = [...turns.peek().slice(0, -1), { ...last, ...part }];
}

async function read(response: Response): Promise<void> {
  const parser = createParser({
    onEvent({ event, data }) {
      if (data !== '[DONE]') take(event ?? '', JSON.parse(data));
    },
  });
  const reader = (response.body ?? new ReadableStream()).pipeThrough(new TextDecoderStream()).getReader();
  for (let next = await reader.read(); !next.done; next = await reader.read()) parser.feed(next.value);
}

interface ChatData {
  readonly text?: string;
  readonly name?: string;
  readonly manifests?: string;
  readonly valid?: boolean;
  readonly errors?: readonly string[];
  readonly diff?: string;
  readonly message?: string;
}

function take(event: string, data: ChatData): void {
  const last = turns.peek().at(-1);
  if (last === undefined) return;
  if (event === 'text') change({ answer: last.answer + (data.text ?? '') });
  else if (event === 'tool_call') change({ tools: [...last.tools, data.name ?? ''] });
  else if (event === 'manifests')
    change({
      proposal: { manifests: data.manifests ?? '', valid: data.valid ?? false, errors: data.errors ?? [] },
    });
  else if (event === 'diff') change({ diff: data.diff ?? '' });
  else if (event === 'error') change({ error: data.message ?? '' });
}
