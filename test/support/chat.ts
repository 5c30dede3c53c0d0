import http from 'node:http';
import { createParser } from 'eventsource-parser';
import type { ChatEvent } from '../../src/addons/chatbot/index.ts';

/** A chat as its reader gets it. */
export interface ChatAnswer {
  readonly status: number;
  readonly headers: http.IncomingHttpHeaders;
  /** As it came. */
  readonly raw: string;
  readonly events: readonly ChatEvent[];
  /** All words. */
  readonly text: string;
}

/** An open chat. */
export interface OpenChat {
  readonly sent: http.ClientRequest;
  /** What has come so far. */
  readonly raw: () => string;
  readonly ended: Promise<ChatAnswer>;
}

/** Begins a chat at a port of Layout 1. */
export function openChat(port: number, body: object, headers: Readonly<Record<string, string>> = {}): OpenChat {
  let raw = '';
  let outcome: { resolve: (answer: ChatAnswer) => void; reject: (error: Error) => void };
  const ended = new Promise<ChatAnswer>((resolve, reject) => {
    outcome = { resolve, reject };
  });
  ended.catch(() => {});
  const sent = http.request(
    `http://127.0.0.1:${port}/v1/chatbot/chat`,
    { method: 'POST', agent: false, headers: { 'content-type': 'application/json', ...headers } },
    (response) => {
      response.setEncoding('utf8').on('data', (chunk: string) => {
        raw += chunk;
      });
      response.once('error', (error) => outcome.reject(error));
      response.once('end', () => outcome.resolve(answerOf(response, raw)));
    },
  );
  sent.once('error', (error) => outcome.reject(error));
  sent.end(JSON.stringify(body));
  return { sent, raw: () => raw, ended };
}

/** A whole chat. */
export const chat = (port: number, body: object, headers?: Readonly<Record<string, string>>): Promise<ChatAnswer> =>
  openChat(port, body, headers).ended;

function answerOf({ statusCode = 0, headers }: http.IncomingMessage, raw: string): ChatAnswer {
  const events = statusCode === 200 ? eventsIn(raw) : [];
  const text = events.map((each) => (each.type === 'text' ? each.text : '')).join('');
  return { status: statusCode, headers, raw, events, text };
}

/** By a parser that is not ours. */
function eventsIn(raw: string): ChatEvent[] {
  const events: ChatEvent[] = [];
  const parser = createParser({
    onEvent: ({ data }) => {
      if (data !== '[DONE]') events.push(JSON.parse(data) as ChatEvent);
    },
  });
  parser.feed(raw);
  return events;
}
