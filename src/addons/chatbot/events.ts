/**
 * The events of a chat, one server-sent event each. Two kinds of client read them. One goes by the event's name. The other reads
 * each line of data as JSON and shows its `text`, `manifests`, `diff`, `ir` or `status`. So an event has at most one of
 * these five, and never an empty one.
 */
export type ChatEvent =
  | { readonly type: 'start'; readonly model: string; readonly mode: 'llm' | 'builtin' }
  | { readonly type: 'text'; readonly text: string }
  | { readonly type: 'tool_call'; readonly id: string; readonly name: string; readonly arguments: unknown }
  | {
      readonly type: 'tool_result';
      readonly id: string;
      readonly name: string;
      readonly ok: boolean;
      /** One line for people. */
      readonly summary: string;
      /** Of the whole result. */
      readonly bytes: number;
    }
  | {
      readonly type: 'manifests';
      /** YAML that has not been applied. */
      readonly manifests: string;
      readonly valid: boolean;
      readonly errors: readonly string[];
      /** What of it would not work, such as rules that are dropped; missing when there is none. */
      readonly warnings?: readonly string[];
    }
  | {
      readonly type: 'dry_run_status';
      readonly success: boolean;
      readonly error?: string;
      readonly corrected?: boolean;
      readonly status: 'valid' | 'invalid' | 'corrected';
    }
  | {
      readonly type: 'correction_progress';
      readonly attempt: number;
      readonly maxRetries: number;
      readonly status: string;
    }
  | { readonly type: 'correction_failed'; readonly error: string; readonly status: string }
  | { readonly type: 'diff'; readonly diff: string }
  /** JSON: what proxies would have to do otherwise. */
  | { readonly type: 'ir'; readonly ir: string }
  | { readonly type: 'usage'; readonly inputTokens: number; readonly outputTokens: number }
  | { readonly type: 'error'; readonly code: string; readonly message: string }
  | { readonly type: 'done'; readonly finishReason: string };

/** An event as it is sent. JSON escapes line breaks, so the data is one line. */
export const eventText = (id: number, event: ChatEvent): string =>
  `event: ${event.type}\nid: ${id}\ndata: ${JSON.stringify(event)}\n\n`;

/** Behind the last event. */
export const endText = 'data: [DONE]\n\n';
export const keepAliveText = ': keep-alive\n\n';
