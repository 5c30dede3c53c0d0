import type { Config } from '../../config/index.ts';
import { type AddressGuard, OutgoingError } from '../../outgoing/index.ts';
import { mask, type SettingsStore } from '../settings/index.ts';
import type { AskAdmin } from './ask-admin.ts';
import { answerBuiltin } from './builtin/answer-builtin.ts';
import type { ChatRequest } from './chat-request.ts';
import { ChatError, ChatSettingsError } from './chatbot-error.ts';
import type { ChatEvent } from './events.ts';
import { Handbook, type Hit } from './handbook/handbook.ts';
import { converse } from './model/converse.ts';
import { testProvider } from './model/provider.ts';
import {
  type ChatSettings,
  type ChatSettingsBody,
  changedChatSettings,
  chatSettingsInUse,
  hasModel,
  readKeptChat,
  settingsName,
} from './settings.ts';

export interface ChatbotOptions {
  readonly store: SettingsStore;
  /** What holds until something is set, and whether there is a built-in mode. */
  readonly defaults: Config['chatbot'];
  readonly guard: AddressGuard;
  readonly ask: AskAdmin;
  /** The directory that has `docs` and `examples`. */
  readonly handbookRoot: string;
  /** For one chat; 120,000 by default. */
  readonly timeoutMs?: number;
  /** For the test of new settings; 10,000 by default. */
  readonly testTimeoutMs?: number;
  /** Called for internal errors, which are bugs of ours. */
  readonly onError: (error: unknown) => void;
}

/** Settings as they are shown. */
export interface ChatConfig extends Omit<ChatSettings, 'apiKey'> {
  readonly configured: boolean;
  readonly mode: 'llm' | 'builtin';
  /** Masked. */
  readonly apiKey: string;
  readonly apiKeySet: boolean;
  /** Where settings are kept. */
  readonly place: string;
}

const maxChats = 4;

/** Answers questions about this gateway, by a configured model or by built-in rules. It changes nothing but its own settings. */
export class Chatbot {
  readonly #options: ChatbotOptions;
  readonly #handbook: Handbook;
  #chats = 0;

  constructor(options: ChatbotOptions) {
    this.#options = options;
    this.#handbook = new Handbook(options.handbookRoot);
  }

  /** Whether a chat could begin. */
  async isUsable(): Promise<boolean> {
    return this.#options.defaults.builtin || hasModel(await this.#inUse());
  }

  /** What documentation and examples say of it, the best first. */
  searchDocs(query: string, limit: number): Promise<readonly Hit[]> {
    return this.#handbook.search(query, limit);
  }

  async config(): Promise<ChatConfig> {
    return shown(await this.#inUse(), this.#options.store.place);
  }

  /**
   * Keeps other settings and tries them. They are kept whatever the test says, for a provider may come later; what cannot ever work is
   * rejected with a ChatSettingsError.
   */
  async change(
    body: ChatSettingsBody,
  ): Promise<ChatConfig & { readonly test: { readonly ok: boolean; readonly message: string } }> {
    const { store, defaults, guard, testTimeoutMs = 10_000 } = this.#options;
    const kept = readKeptChat(await store.read(settingsName));
    const changed = changedChatSettings(body, kept, chatSettingsInUse(kept, defaults));
    if (changed.apiEndpoint !== '') checkAddress(guard, changed.apiEndpoint);
    await store.write(settingsName, changed);
    const settings = chatSettingsInUse(changed, defaults);
    const test = hasModel(settings)
      ? await testProvider({ settings, guard, signal: AbortSignal.timeout(testTimeoutMs) })
      : { ok: true, message: 'no model is configured' };
    return { ...shown(settings, store.place), test };
  }

  /**
   * Begins a chat. Rejects with a ChatError when it cannot begin; a later failure is an event. The events end with `done`, unless
   * the signal is aborted first because the client left.
   */
  async chat(request: ChatRequest, left: AbortSignal): Promise<AsyncIterable<ChatEvent>> {
    const settings = await this.#inUse();
    if (!hasModel(settings) && !this.#options.defaults.builtin)
      throw new ChatError('not_configured', 'no model is configured: set one with PUT /v1/chatbot/config');
    if (this.#chats >= maxChats) throw new ChatError('busy', `${maxChats} chats are under way already`);
    const end = this.#begin();
    // A client that leaves at once never reads an event.
    left.addEventListener('abort', end, { once: true });
    return this.#events(request, settings, left, end);
  }

  /** Counts a chat until the function that it gives is called, however often. */
  #begin(): () => void {
    this.#chats += 1;
    let isOver = false;
    return () => {
      if (!isOver) this.#chats -= 1;
      isOver = true;
    };
  }

  async *#events(
    request: ChatRequest,
    settings: ChatSettings,
    left: AbortSignal,
    end: () => void,
  ): AsyncGenerator<ChatEvent> {
    const { guard, ask, timeoutMs = 120_000 } = this.#options;
    const signal = AbortSignal.any([left, AbortSignal.timeout(timeoutMs)]);
    const isModel = hasModel(settings);
    try {
      yield { type: 'start', model: isModel ? settings.model : 'builtin', mode: isModel ? 'llm' : 'builtin' };
      yield* isModel ? converse(request, { settings, guard, ask, signal }) : answerBuiltin(request, ask, signal);
    } catch (error) {
      if (left.aborted) return;
      const { code, message } = this.#describeError(error, signal);
      yield { type: 'error', code, message };
      yield { type: 'done', finishReason: 'error' };
    } finally {
      end();
    }
  }

  #describeError(error: unknown, signal: AbortSignal): { readonly code: string; readonly message: string } {
    if (error instanceof ChatError) return error;
    if (signal.aborted) return { code: 'model_timeout', message: 'the chat did not come to an end in time' };
    this.#options.onError(error);
    return { code: 'internal_error', message: 'something went wrong here; the log of the control plane has it' };
  }

  async #inUse(): Promise<ChatSettings> {
    const { store, defaults } = this.#options;
    return chatSettingsInUse(readKeptChat(await store.read(settingsName)), defaults);
  }
}

function checkAddress(guard: AddressGuard, apiEndpoint: string): void {
  try {
    guard.check(new URL(apiEndpoint));
  } catch (error) {
    if (!(error instanceof OutgoingError)) throw error;
    throw new ChatSettingsError([{ path: 'apiEndpoint', message: `: ${error.message}` }]);
  }
}

const shown = (settings: ChatSettings, place: string): ChatConfig => {
  const { provider, apiEndpoint, apiKey, model, temperature, origin } = settings;
  return {
    configured: hasModel(settings),
    mode: hasModel(settings) ? 'llm' : 'builtin',
    provider,
    apiEndpoint,
    apiKey: mask(apiKey),
    apiKeySet: apiKey !== '',
    model,
    temperature,
    origin,
    place,
  };
};
