import { hasSecret } from './documents.ts';

const keyOf = (place: string): string => `gatewright.draft.${place}`;

/** A text that was not applied yet, of this tab. */
export const draftOf = (place: string): string | null => sessionStorage.getItem(keyOf(place));

/** Keeps it over a reload; what may hold a secret is not kept. */
export function keepDraft(place: string, text: string): void {
  if (hasSecret(text)) forgetDraft(place);
  else sessionStorage.setItem(keyOf(place), text);
}

export const forgetDraft = (place: string): void => sessionStorage.removeItem(keyOf(place));
