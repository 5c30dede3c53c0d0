import { signal } from '@preact/signals';

const stored = 'gatewright.token';

/** The bearer token; empty where none is needed. It ends with the tab. */
export const token = signal(sessionStorage.getItem(stored) ?? '');

export function giveToken(given: string): void {
  token.value = given.trim();
  sessionStorage.setItem(stored, token.value);
}

export function forgetToken(): void {
  token.value = '';
  sessionStorage.removeItem(stored);
}
