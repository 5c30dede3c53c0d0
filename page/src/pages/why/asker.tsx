import type { Signal } from '@preact/signals';
import { whyWords } from './words.ts';

/**
 * Who asks: the address is a part of the link, the token is not. It stays in the field until the page is left, and is kept nowhere else.
 */
export function Asker({ from, token }: { readonly from: Signal<string>; readonly token: Signal<string> }) {
  const words = whyWords();
  return (
    <details class="asker" open={from.value !== '' || undefined}>
      <summary>{words.asker}</summary>
      <p class="quiet">{words.askerHint}</p>
      <div class="tools">
        <label class="choice">
          {words.from}{' '}
          <input
            name="from"
            type="text"
            autocomplete="off"
            spellcheck={false}
            placeholder="203.0.113.7"
            value={from.value}
            onInput={(event) => {
              from.value = event.currentTarget.value;
            }}
          />
        </label>
        <label class="choice">
          {words.token}{' '}
          <input
            name="token"
            type="password"
            // Browsers offer to keep what they take for a password of this site.
            autocomplete="one-time-code"
            spellcheck={false}
            value={token.value}
            onInput={(event) => {
              token.value = event.currentTarget.value;
            }}
          />
        </label>
      </div>
    </details>
  );
}
