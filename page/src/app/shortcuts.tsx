import { signal } from '@preact/signals';
import { useEffect, useRef } from 'preact/hooks';
import { go, link } from '../router/index.ts';
import { texts } from '../text/index.ts';
import { pages } from './pages.ts';
import { isPaletteOpen } from './palette.tsx';
import { hasKeys, switchKeys } from './single-keys.ts';

const isHelpOpen = signal(false);

/** Milliseconds in which the second key has to follow `g`. */
const secondKeyMs = 1_500;

/** Listens for keys until the result is called. */
export function listenForKeys(): () => void {
  let goesAt = 0;
  const onKey = (event: KeyboardEvent): void => {
    if (event.key === 'k' && (event.ctrlKey || event.metaKey)) openPalette(event);
    if (!hasKeys.value || isTyping(event) || event.ctrlKey || event.metaKey || event.altKey) return;
    if (event.key === '/') {
      openPalette(event);
    } else if (event.key === '?') {
      isHelpOpen.value = true;
    } else if (Date.now() - goesAt < secondKeyMs) {
      goesAt = 0;
      const page = pages.find(({ key }) => key === event.key);
      if (page) go(link(page.path));
    } else if (event.key === 'g') goesAt = Date.now();
  };
  document.addEventListener('keydown', onKey);
  return () => document.removeEventListener('keydown', onKey);
}

function openPalette(event: Event): void {
  event.preventDefault();
  isPaletteOpen.value = true;
}

const isTyping = ({ target }: Event): boolean =>
  target instanceof HTMLElement &&
  (target.isContentEditable || target.closest('input, textarea, select, dialog, .editor') !== null);

const words = texts(
  {
    title: 'Keys',
    palette: 'search everything',
    help: 'show this list',
    next: 'next and previous row',
    open: 'open the row',
    close: 'close a dialog',
    followedBy: 'then',
    switch: 'Use single keys',
    done: 'Close',
  },
  {
    title: 'Tasten',
    palette: 'alles durchsuchen',
    help: 'diese Liste zeigen',
    next: 'nächste und vorige Zeile',
    open: 'Zeile öffnen',
    close: 'Dialog schließen',
    followedBy: 'dann',
    switch: 'Einzelne Tasten verwenden',
    done: 'Schließen',
  },
);

/** The list of keys, and the switch that turns them off. */
export function KeyHelp() {
  const dialog = useRef<HTMLDialogElement>(null);
  const isOpen = isHelpOpen.value;
  useEffect(() => {
    if (isOpen) dialog.current?.showModal();
    else dialog.current?.close();
  }, [isOpen]);
  const { title, palette, help, next, open, close, followedBy, switch: useKeys, done } = words();
  const rows: readonly (readonly [string, string])[] = [
    ['/', palette],
    ['Ctrl K', palette],
    ['?', help],
    ['j, k', next],
    ['Enter', open],
    ['Esc', close],
    ...pages.map(({ key, title: name }) => [`g ${followedBy} ${key}`, name()] as const),
  ];
  const shut = (): void => {
    isHelpOpen.value = false;
  };
  return (
    <dialog ref={dialog} aria-label={title} onClose={shut}>
      <h2>{title}</h2>
      <dl class="keys">
        {rows.map(([keys, what]) => (
          <div key={keys}>
            <dt>
              <kbd>{keys}</kbd>
            </dt>
            <dd>{what}</dd>
          </div>
        ))}
      </dl>
      <label>
        <input type="checkbox" checked={hasKeys.value} onChange={(event) => switchKeys(event.currentTarget.checked)} />{' '}
        {useKeys}
      </label>
      <p>
        <button type="button" onClick={shut}>
          {done}
        </button>
      </p>
    </dialog>
  );
}
