import { signal, useSignal, useSignalEffect } from '@preact/signals';
import { useEffect, useRef } from 'preact/hooks';
import { ApiError, apiUrl, get, type SearchResult } from '../api/index.ts';
import { placeOfObject } from '../parts/index.ts';
import { go, link } from '../router/index.ts';
import { texts } from '../text/index.ts';
import type { Choice, LookedUp } from './look-up.ts';
import { offeredPages } from './pages.ts';

export const isPaletteOpen = signal(false);

const words = texts(
  {
    label: 'Search pages, objects, hosts, proxies and the documentation',
    hint: 'A name, a host, a URL to test, or a path of the API',
    test: (text: string) => `Why? ${text}`,
    page: 'page',
    none: 'Nothing has this name.',
    failed: 'The search failed.',
  },
  {
    label: 'Seiten, Objekte, Hosts, Proxys und die Dokumentation durchsuchen',
    hint: 'Ein Name, ein Host, eine URL zum Testen oder ein Pfad der API',
    test: (text) => `Warum? ${text}`,
    page: 'Seite',
    none: 'Nichts heißt so.',
    failed: 'Die Suche ist fehlgeschlagen.',
  },
);

const nothing: LookedUp = { first: [], last: [] };

/** Milliseconds after the last key until the control plane is asked. */
const restMs = 40;

/** Goes anywhere by a part of its name. */
export function Palette() {
  const dialog = useRef<HTMLDialogElement>(null);
  const text = useSignal('');
  const found = useSignal<readonly Choice[]>([]);
  const lookedUp = useSignal(nothing);
  const note = useSignal('');
  const chosen = useSignal(0);
  const isOpen = isPaletteOpen.value;
  useEffect(() => {
    if (!isOpen) return dialog.current?.close();
    text.value = '';
    dialog.current?.showModal();
  }, [isOpen]);
  useSignalEffect(() => {
    const query = text.value.trim();
    chosen.value = 0;
    if (query === '') {
      found.value = [];
      lookedUp.value = nothing;
      note.value = '';
      return undefined;
    }
    const abort = new AbortController();
    const timer = setTimeout(async () => {
      import('./look-up.ts').then(async ({ lookUp }) => {
        const found = await lookUp(query);
        if (!abort.signal.aborted) lookedUp.value = found;
      }, noop);
      try {
        const results = await get<readonly SearchResult[]>(apiUrl('/v1/search', { q: query, limit: 20 }), abort.signal);
        found.value = results.flatMap(({ matches }) => matches.flatMap(choiceOf));
        note.value = '';
      } catch (error) {
        if (!abort.signal.aborted) note.value = error instanceof ApiError ? error.message : words().failed;
      }
    }, restMs);
    return () => {
      clearTimeout(timer);
      abort.abort();
    };
  });
  const { first, last } = lookedUp.value;
  const choices = [...first, ...choicesFor(text.value, found.value), ...last];
  const close = (): void => {
    isPaletteOpen.value = false;
  };
  const take = (choice: Choice | undefined): void => {
    if (choice === undefined) return;
    close();
    go(choice.href);
  };
  return (
    <dialog ref={dialog} class="palette" aria-label={words().label} onClose={close}>
      {isOpen && (
        <>
          <input
            type="text"
            role="combobox"
            aria-expanded="true"
            aria-controls="palette-choices"
            aria-activedescendant={choices.length > 0 ? `choice-${chosen.value}` : undefined}
            aria-label={words().label}
            placeholder={words().hint}
            value={text.value}
            onInput={(event) => {
              text.value = event.currentTarget.value;
            }}
            onKeyDown={(event) => {
              if (event.key === 'Enter') {
                event.preventDefault();
                take(choices[chosen.value]);
              }
              const step = event.key === 'ArrowDown' ? 1 : event.key === 'ArrowUp' ? -1 : 0;
              if (step === 0 || choices.length === 0) return;
              event.preventDefault();
              chosen.value = (chosen.value + step + choices.length) % choices.length;
            }}
          />
          <ul id="palette-choices" role="listbox" aria-label={words().label}>
            {choices.map((choice, at) => (
              <li
                key={`${choice.href} ${choice.title}`}
                id={`choice-${at}`}
                role="option"
                aria-selected={at === chosen.value}
                onClick={() => take(choice)}
              >
                <bdi>{choice.title}</bdi> <span class="quiet">{choice.detail}</span>
              </li>
            ))}
          </ul>
          {choices.length === 0 && text.value !== '' && <p class="quiet">{words().none}</p>}
          {note.value !== '' && <p role="alert">{note.value}</p>}
        </>
      )}
    </dialog>
  );
}

function choicesFor(text: string, found: readonly Choice[]): readonly Choice[] {
  const query = text.trim().toLowerCase();
  const ofPages = offeredPages()
    .filter(({ title }) => title().toLowerCase().includes(query))
    .map(({ path, title }) => ({ href: link(path), title: title(), detail: words().page }));
  const test = /[./]/.test(query)
    ? [{ href: link('why', [], { u: text.trim() }), title: words().test(text.trim()), detail: '' }]
    : [];
  return [...(query === '' ? [] : found), ...test, ...ofPages];
}

const noop = (): void => undefined;

function choiceOf({ object, hostname }: SearchResult['matches'][number]): readonly Choice[] {
  const { kind, namespace, name } = object;
  const href = placeOfObject({ kind, namespace: namespace ?? null, name });
  if (href === undefined) return [];
  const detail = hostname === null ? kind : `${kind} · ${hostname}`;
  return [{ href, title: namespace ? `${namespace}/${name}` : name, detail }];
}
