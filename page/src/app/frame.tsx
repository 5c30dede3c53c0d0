import { useSignal, useSignalEffect } from '@preact/signals';
import type { ComponentChildren } from 'preact';
import { useEffect } from 'preact/hooks';
import { asksToken, isFollowing, silentSince } from '../api/index.ts';
import { now } from '../live/index.ts';
import { link, place } from '../router/index.ts';
import { who } from '../session/index.ts';
import { ago, timeOfDay } from '../text/index.ts';
import { frameWords } from './frame-words.ts';
import { offeredPages } from './pages.ts';
import { isPaletteOpen, Palette } from './palette.tsx';
import { KeyHelp, listenForKeys } from './shortcuts.tsx';
import { SignIn } from './sign-in.tsx';
import { nextTheme, theme } from './theme.ts';
import { verdict } from './verdict.ts';

/** What is around every page: the navigation, the bar on top, and the dialogs that any page may open. */
export function Frame({ children }: { readonly children: ComponentChildren }) {
  const isMenuOpen = useSignal(false);
  useEffect(listenForKeys, []);
  useSignalEffect(() => {
    void place.value;
    isMenuOpen.value = false;
  });
  const words = frameWords();
  return (
    <>
      <a class="skip" href="#main" onClick={toMain}>
        {words.skip}
      </a>
      <header class="bar">
        <button
          type="button"
          class="menu"
          aria-expanded={isMenuOpen.value}
          aria-controls="navigation"
          onClick={() => {
            isMenuOpen.value = !isMenuOpen.value;
          }}
        >
          <span aria-hidden="true">☰</span>
          <span class="hidden">{words.menu}</span>
        </button>
        <a class="brand" href={link('')}>
          Gatewright
        </a>
        <button
          type="button"
          class="search"
          onClick={() => {
            isPaletteOpen.value = true;
          }}
        >
          <span aria-hidden="true">⌕</span> {words.search} <kbd aria-hidden="true">/</kbd>
        </button>
        <Connection />
        <button type="button" class="theme" onClick={nextTheme} title={words.theme(words[theme.value])}>
          <span aria-hidden="true">◐</span>
          <span class="hidden">{words.theme(words[theme.value])}</span>
        </button>
        <Rights />
      </header>
      <Navigation isOpen={isMenuOpen.value} />
      <main id="main" tabIndex={-1} class={silentSince.value && 'stale'}>
        <Silence />
        {children}
      </main>
      <Palette />
      <KeyHelp />
      {asksToken.value !== 'no' && <SignIn />}
      <p class="hidden" aria-live="polite">
        {verdict.value?.sentence}
      </p>
    </>
  );
}

/** The fragment of the address is taken. */
function toMain(event: Event): void {
  event.preventDefault();
  document.getElementById('main')?.focus();
}

function Navigation({ isOpen }: { readonly isOpen: boolean }) {
  const { page } = place.value;
  return (
    <nav id="navigation" class={isOpen ? 'open' : undefined} aria-label={frameWords().navigation}>
      <ul>
        {offeredPages().map(({ path, title, also }) => (
          <li key={path}>
            <a href={link(path)} aria-current={page === path || also?.includes(page) ? 'page' : undefined}>
              {title()}
            </a>
          </li>
        ))}
      </ul>
    </nav>
  );
}

function Connection() {
  const words = frameWords();
  const [state, text] =
    silentSince.value !== undefined
      ? ['failing', words.away]
      : isFollowing.value
        ? ['ok', words.live]
        : ['warning', words.polling];
  return (
    <span class={`connection ${state}`} title={text}>
      <span aria-hidden="true">●</span> <span class="wide">{text}</span>
      <span class="hidden">{text}</span>
    </span>
  );
}

function Rights() {
  const verified = who.value;
  if (verified === undefined) return null;
  const words = frameWords();
  return (
    <span class="rights">
      {verified.user !== undefined && <bdi>{verified.user}</bdi>} {verified.readOnly && words.readOnly}
    </span>
  );
}

/** The last state stays, and is said to be the last. */
function Silence() {
  const since = silentSince.value;
  if (since === undefined) return null;
  return (
    <p class="notice failing" role="alert">
      {frameWords().silent(timeOfDay(since), ago(since, now.value))}
    </p>
  );
}
