import { hasSecret } from './has-secret.ts';

const keyOf = (place: string): string => `gatewright.draft.${place}`;

/** A text that was not applied yet, of this tab. */
export const draftOf = (place: string): string | null => sessionStorage.getItem(keyOf(place));

const baseKeyOf = (place: string): string => `gatewright.base.${place}`;

/** What a draft is a change of. */
export const baseOf = (place: string): string | null => sessionStorage.getItem(baseKeyOf(place));

/** Keeps it, and what it is a change of where that is known, over a reload; what may hold a secret is not kept. */
export function keepDraft(place: string, text: string, base?: string): void {
  forgetDraft(place);
  if (hasSecret(text) || (base !== undefined && hasSecret(base))) return;
  sessionStorage.setItem(keyOf(place), text);
  if (base !== undefined) sessionStorage.setItem(baseKeyOf(place), base);
}

export function forgetDraft(place: string): void {
  sessionStorage.removeItem(keyOf(place));
  sessionStorage.removeItem(baseKeyOf(place));
}
