import { AdminRejection, type AskAdmin } from '../ask-admin.ts';
import { toolTable } from './table.ts';
import type { ToolContext, ToolFinding } from './tool.ts';

/** What a call came to. */
export interface ToolOutcome {
  readonly ok: boolean;
  /** One line for people. */
  readonly summary: string;
  /** The result as JSON text, cut where it is too long and saying so; of a failure its message. */
  readonly text: string;
  /** Of the whole result. */
  readonly bytes: number;
  /** The result itself, for callers that process it; undefined after a failure. */
  readonly value?: unknown;
}

/** Results are cut at this length. */
const maxBytes = 32 * 1024;

/**
 * Calls a tool with arguments that are not trusted. Failures of every kind are an outcome, for a model to read; only the signal's coming
 * rejects.
 */
export async function runTool(name: string, input: unknown, ask: AskAdmin, signal: AbortSignal): Promise<ToolOutcome> {
  const found = toolTable.get(name);
  if (found === undefined) return failure(`there is no tool ${name}; there are ${[...toolTable.keys()].join(', ')}`);
  const { success, data, error } = found.input.safeParse(input ?? {});
  if (!success) {
    const faults = error.issues.map(({ path, message }) => `${path.join('.') || 'arguments'}: ${message}`);
    return failure(`wrong arguments: ${faults.join('; ')}`);
  }
  try {
    return outcomeOf(await found.run(data, contextOf(ask, signal)));
  } catch (caught) {
    signal.throwIfAborted();
    if (caught instanceof AdminRejection || caught instanceof RangeError) return failure(caught.message);
    throw caught;
  }
}

const contextOf = (ask: AskAdmin, signal: AbortSignal): ToolContext => ({
  async ask(question) {
    const answer = await ask(question, signal);
    if (answer.status >= 400) throw new AdminRejection(answer);
    return answer;
  },
});

const failure = (message: string): ToolOutcome => ({
  ok: false,
  summary: message,
  text: JSON.stringify({ error: message }),
  bytes: Buffer.byteLength(message),
});

function outcomeOf({ summary, value }: ToolFinding): ToolOutcome {
  const whole = JSON.stringify(value);
  const bytes = Buffer.byteLength(whole);
  return { ok: true, summary, text: bytes <= maxBytes ? whole : cut(whole, bytes), bytes, value };
}

/** The beginning, on a whole character, and that it is one. */
function cut(whole: string, bytes: number): string {
  const note = `… cut: ${bytes} bytes are more than ${maxBytes}; ask for less (limit, namespace, name)`;
  const room = maxBytes - Buffer.byteLength(note);
  const kept = Buffer.from(whole)
    .subarray(0, room)
    .toString('utf8')
    .replace(/\ufffd$/, '');
  return kept + note;
}
