import type { CompletionChunk, ToolCallPart } from './completion-chunk.ts';
import type { ModelToolCall } from './provider.ts';

/** A model's answer, put together from its pieces. */
export class Answer {
  text = '';
  inputTokens = 0;
  outputTokens = 0;
  finishReason = 'stop';
  readonly #calls: { id: string; name: string; arguments: string }[] = [];

  /** Takes a piece in; gives the text that is new in it. */
  add({ choices: [choice], usage }: CompletionChunk): string {
    if (usage) {
      this.inputTokens = usage.prompt_tokens ?? 0;
      this.outputTokens = usage.completion_tokens ?? 0;
    }
    if (choice === undefined) return '';
    if (choice.finish_reason) this.finishReason = choice.finish_reason;
    const { content, tool_calls } = choice.delta ?? choice.message ?? {};
    for (const [position, part] of (tool_calls ?? []).entries()) this.#addCall(part, position);
    this.text += content ?? '';
    return content ?? '';
  }

  /** The calls that it makes, whole. A call without a name is none; one without an id gets one. */
  get toolCalls(): readonly ModelToolCall[] {
    return this.#calls
      .filter((call) => call?.name)
      .map(({ id, name, arguments: given }, index) => ({
        id: id || `call_${index}`,
        type: 'function',
        function: { name, arguments: given },
      }));
  }

  #addCall({ index, id, function: called }: ToolCallPart, position: number): void {
    const at = index ?? position;
    this.#calls[at] ??= { id: '', name: '', arguments: '' };
    const call = this.#calls[at];
    call.id ||= id ?? '';
    // The first chunk has the whole name, though some providers send it again with every other chunk.
    call.name ||= called?.name ?? '';
    call.arguments += called?.arguments ?? '';
  }
}
