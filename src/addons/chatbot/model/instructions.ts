import * as z from 'zod';
import type { ChatRequest } from '../chat-request.ts';
import type { Framing } from '../framing.ts';
import { tools } from '../tools/index.ts';
import type { ModelMessage } from './provider.ts';

const rules = `You are the assistant of Gatewright, a Kubernetes Gateway API operator that configures Envoy proxies. You answer questions about this one running gateway.
- Find out with the tools before you answer; never guess what is configured. For status codes and for where a request goes ask explain_request; for what is wrong ask list_problems or diagnose.
- Say what you found and what to do, briefly and concretely, with the names of the objects. If a tool fails or shows nothing, say so.
- You cannot change anything. If a change is needed, propose it as complete Gateway API manifests (apiVersion, kind, metadata with namespace, spec) in one fenced yaml block. Each proposal is dry-run and shown with a diff; the user decides whether to apply it.
- Keys, tokens and private keys are never shown to you. Do not ask the user for them.`;

/** The conversation as the model gets it. What a client calls `system` does not outrank our own words. */
export function conversationOf({ prompt, history, context }: ChatRequest, framing: Framing): ModelMessage[] {
  return [
    { role: 'system', content: `${rules}\n- ${framing.rule}` },
    ...history.map(
      ({ role, content }): ModelMessage => ({ role: role === 'assistant' ? 'assistant' : 'user', content }),
    ),
    { role: 'user', content: `${contextText(context)}${prompt}` },
  ];
}

function contextText(context: ChatRequest['context']): string {
  if (context === undefined) return '';
  const { kind, namespace = 'default', name } = context;
  return `(I am looking at ${JSON.stringify(`${kind} ${namespace}/${name}`)}.)\n`;
}

/** The tools in OpenAI's format. */
export const modelTools: readonly object[] = tools.map(({ name, description, input }) => {
  const { $schema: _, ...parameters } = z.toJSONSchema(input, { io: 'input' });
  return { type: 'function', function: { name, description, parameters } };
});

/** The message to the model when a dry run rejected its proposal. */
export const correctionText = (errors: readonly string[], framing: Framing): string =>
  `The dry run rejected these manifests:\n${framing.wrap(errors.join('\n'))}\nAnswer with all of them, corrected, in one fenced yaml block.`;
