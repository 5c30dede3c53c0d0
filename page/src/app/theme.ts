import { effect, signal } from '@preact/signals';

export type Theme = 'auto' | 'light' | 'dark';

const stored = 'gatewright.theme';
const order: readonly Theme[] = ['auto', 'light', 'dark'];
const kept = localStorage.getItem(stored);

/** The colours of the page; `auto` follows the system. */
export const theme = signal<Theme>(order.find((name) => name === kept) ?? 'auto');

effect(() => {
  document.documentElement.dataset.theme = theme.value;
});

export function chooseTheme(chosen: Theme): void {
  theme.value = chosen;
  localStorage.setItem(stored, chosen);
}

export const nextTheme = (): void => chooseTheme(order[(order.indexOf(theme.value) + 1) % order.length] ?? 'auto');
