import type { AskAdmin } from '../ask-admin.ts';
import type { ChatRequest } from '../chat-request.ts';
import type { ChatEvent } from '../events.ts';
import { runTool, type wire } from '../tools/index.ts';
import { answerOf, type Call, NotFound } from './answers/index.ts';
import { bounded, clusterText } from './cluster-text.ts';
import { textsIn } from './texts/index.ts';
import { namesOf, readConversation, understand } from './understand/conversation.ts';
import type { Inventory } from './understand/resolve.ts';

/**
 * Answers questions by rules, with the tools that a model would use and the same events, so that a chat is of use without any model. A
 * question is read in three steps: its words (`understand/question.ts`), the names among them that the inventory has
 * (`understand/resolve.ts`), and the topic that most points speak for (`understand/topics.ts`). What it says is what the tools found.
 */
export async function* answerBuiltin(
  request: ChatRequest,
  ask: AskAdmin,
  signal: AbortSignal,
  now: Date = new Date(),
): AsyncGenerator<ChatEvent> {
  const call = caller(ask, signal);
  const questions = readConversation(request, now);
  let say = textsIn('en');
  try {
    const frame = understand(questions, yield* inventoryOf(namesOf(questions), call), request.context);
    say = textsIn(frame.language);
    yield { type: 'text', text: bounded(yield* answerOf({ frame, call, say })) };
  } catch (error) {
    if (!(error instanceof NotFound)) throw error;
    yield { type: 'text', text: say.notFoundOut(clusterText(error.message)) };
  }
  yield { type: 'done', finishReason: 'stop' };
}

/** Calls tools one after the other, with an event before and behind each. */
function caller(ask: AskAdmin, signal: AbortSignal): Call {
  let count = 0;
  return async function* call(name, input = {}) {
    count += 1;
    const id = `call_${count}`;
    yield { type: 'tool_call', id, name, arguments: input };
    const { ok, summary, bytes, value } = await runTool(name, input, ask, signal);
    yield { type: 'tool_result', id, name, ok, summary, bytes };
    if (!ok) throw new NotFound(summary);
    return value;
  };
}

/** What the inventory has of these words. */
async function* inventoryOf(words: readonly string[], call: Call): AsyncGenerator<ChatEvent, Inventory> {
  if (words.length === 0) return new Map();
  const found = (yield* call('find_objects', { words })) as readonly wire.FoundAnswer[];
  return new Map(found.map((each) => [each.word, each]));
}
