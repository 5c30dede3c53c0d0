import { signal } from '@preact/signals';

/** Whether the tab is seen. A hidden one asks nothing and reads no events. */
export const isSeen = signal(!document.hidden);
document.addEventListener('visibilitychange', () => {
  isSeen.value = !document.hidden;
});
