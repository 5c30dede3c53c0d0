import { type AiAnswer, type AiQuestion, ask } from './ai.ts';

/** What a proxy gives the budget service, and then a request passes that no budget has judged: src/translate/ai/route-listener.ts. */
const unansweredMs = 2000;

/**
 * Asks until a budget of tokens has judged the question. A busy machine may take longer for that than the proxy waits. Such a question passes and
 * is counted in no budget, but only after that time.
 */
export class Judged {
  /** Questions that passed without. */
  passedBy = 0;
  readonly #port: number;

  constructor(port: number) {
    this.#port = port;
  }

  /** @throws that a question passed unjudged although the proxy had not waited for an answer */
  async ask(question: AiQuestion): Promise<AiAnswer> {
    for (;;) {
      const began = performance.now();
      const answer = await ask(this.#port, question);
      if (limitHeader in answer.headers) return answer;
      const tookMs = performance.now() - began;
      // Less than that by the little that clocks of two processes may differ.
      if (tookMs < unansweredMs - 100) throw new Error(`no budget judged what was answered in ${tookMs} ms`);
      this.passedBy += 1;
    }
  }
}

export const limitHeader = 'x-ratelimit-limit-tokens';
