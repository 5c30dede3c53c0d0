import { signal } from '@preact/signals';

const stored = 'gatewright.keys';

/** Single keys can be switched off. Source: WCAG 2.1.4. */
export const hasKeys = signal(localStorage.getItem(stored) !== 'off');

export function switchKeys(on: boolean): void {
  hasKeys.value = on;
  localStorage.setItem(stored, on ? 'on' : 'off');
}
