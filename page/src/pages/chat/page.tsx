import { useSignal } from '@preact/signals';
import { apiUrl, type ChatbotConfig } from '../../api/index.ts';
import { useLive } from '../../live/index.ts';
import { Message, Name } from '../../parts/index.ts';
import { go, link } from '../../router/index.ts';
import { mayWrite, who } from '../../session/index.ts';
import { keepDraft } from '../edit/drafts.ts';
import { Answer } from './answer.tsx';
import { askQuestion, stopAnswer, type Turn, turns } from './conversation.ts';
import { chatWords } from './words.ts';

/** Questions in plain words. What comes back is text of a model or of rules: it never becomes HTML. */
export function Page() {
  const words = chatWords();
  const config = useLive<ChatbotConfig>(apiUrl('/v1/chatbot/config'), { everyMs: 60_000, on: [] });
  const text = useSignal('');
  const isReading = who.value?.readOnly === true;
  const submit = (question: string): void => {
    if (question.trim() === '' || stopAnswer.peek() !== undefined) return;
    text.value = '';
    void askQuestion(question.trim());
  };
  const { mode, model } = config.data ?? {};
  return (
    <>
      <h1>{words.title}</h1>
      {config.data && (
        <p class="quiet mode" data-mode={mode}>
          {mode === 'llm' ? words.model(model ?? '') : words.builtin}
        </p>
      )}
      {isReading && <p class="notice warning">{words.readOnly}</p>}
      {turns.value.length === 0 && !isReading && <Examples onAsk={submit} />}
      <ol class="turns" aria-live="polite">
        {turns.value.map((turn, at) => (
          <TurnShown key={at} turn={turn} />
        ))}
      </ol>
      <form
        class="ask"
        onSubmit={(event) => {
          event.preventDefault();
          submit(text.value);
        }}
      >
        <label for="question">{words.question}</label>
        <textarea
          id="question"
          rows={2}
          placeholder={words.hint}
          value={text.value}
          disabled={isReading}
          onInput={(event) => {
            text.value = event.currentTarget.value;
          }}
          onKeyDown={(event) => {
            if (event.key !== 'Enter' || event.shiftKey) return;
            event.preventDefault();
            submit(text.value);
          }}
        />
        {stopAnswer.value === undefined ? (
          <button type="submit" disabled={isReading}>
            {words.ask}
          </button>
        ) : (
          <button type="button" onClick={stopAnswer.value}>
            {words.stop}
          </button>
        )}
      </form>
    </>
  );
}

function Examples({ onAsk }: { readonly onAsk: (question: string) => void }) {
  const words = chatWords();
  return (
    <p>
      {words.examples}{' '}
      {[words.example1, words.example2, words.example3].map((example) => (
        <button key={example} type="button" class="chip" onClick={() => onAsk(example)}>
          {example}
        </button>
      ))}
    </p>
  );
}

function TurnShown({ turn }: { readonly turn: Turn }) {
  const words = chatWords();
  const { question, answer, tools, proposal, diff, error, isDone } = turn;
  return (
    <li class="turn" data-done={isDone}>
      <p class="question">
        <strong>{words.you}:</strong> <Name>{question}</Name>
      </p>
      {!isDone && tools.length > 0 && (
        <p class="quiet">
          {words.looks('')}
          <code>{tools.at(-1)}</code>
        </p>
      )}
      <Answer text={answer} />
      {proposal && <Proposal {...proposal} diff={diff} />}
      {error !== '' && (
        <p class="notice failing" role="alert">
          {words.failed} <Message>{error}</Message>
        </p>
      )}
    </li>
  );
}

function Proposal({ manifests, valid, errors, diff }: NonNullable<Turn['proposal']> & { readonly diff: string }) {
  const words = chatWords();
  return (
    <div class={`notice ${valid ? '' : 'warning'}`}>
      <p>{valid ? words.valid : words.invalid}</p>
      <ul>
        {errors.map((message) => (
          <li key={message}>
            <Message>{message}</Message>
          </li>
        ))}
      </ul>
      {diff !== '' && (
        <details>
          <summary>{words.change}</summary>
          {/* biome-ignore lint/a11y/noNoninteractiveTabindex: it scrolls, and the keyboard has to reach it */}
          <pre tabIndex={0}>{diff}</pre>
        </details>
      )}
      {mayWrite.value && (
        <button
          type="button"
          class="to-editor"
          onClick={() => {
            keepDraft('new', manifests);
            go(link('edit'));
          }}
        >
          {words.open}
        </button>
      )}
    </div>
  );
}
