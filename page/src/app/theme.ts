import { computed, effect, signal } from '@preact/signals';

export type Theme = 'auto' | 'light' | 'dark';

const stored = 'gatewright.theme';
const order: readonly Theme[] = ['auto', 'light', 'dark'];
const kept = localStorage.getItem(stored);

/** The colours of the page; `auto` follows the system. */
export const theme = signal<Theme>(order.find((name) => name === kept) ?? 'auto');

const system = window.matchMedia('(prefers-color-scheme: dark)');
const isSystemDark = signal(system.matches);
system.addEventListener('change', () => {
  isSystemDark.value = system.matches;
});

/** The colours that are shown. */
export const shownTheme = computed(() =>
  theme.value === 'auto' ? (isSystemDark.value ? 'dark' : 'light') : theme.value,
);

effect(() => {
  document.documentElement.dataset.theme = shownTheme.value;
});

export function chooseTheme(chosen: Theme): void {
  theme.value = chosen;
  localStorage.setItem(stored, chosen);
}

export const nextTheme = (): void => chooseTheme(order[(order.indexOf(theme.value) + 1) % order.length] ?? 'auto');
