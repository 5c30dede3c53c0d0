import { useSignal } from '@preact/signals';
import { Component, type ComponentChildren, type ComponentType } from 'preact';
import { useEffect } from 'preact/hooks';
import { place } from '../router/index.ts';
import { capabilities } from '../session/index.ts';
import { frameWords } from './frame-words.ts';
import { pageAt } from './pages.ts';

/** The page of the address, loaded when it is first shown. */
export function CurrentPage() {
  const path = place.value.page;
  const entry = pageAt(path);
  const shown = useSignal<{ readonly path: string; readonly Page: ComponentType } | undefined>(undefined);
  const failure = useSignal<unknown>(undefined);
  useEffect(() => {
    let isCurrent = true;
    failure.value = undefined;
    entry?.load().then(
      ({ Page }) => {
        if (isCurrent) shown.value = { path: entry.path, Page };
      },
      (error: unknown) => {
        failure.value = error;
      },
    );
    return () => {
      isCurrent = false;
    };
  }, [entry]);
  const words = frameWords();
  if (entry === undefined) return <p class="empty">{words.notFound}</p>;
  if (failure.value !== undefined) return <Broken />;
  if (entry.needs !== undefined && capabilities.value?.[entry.needs] === false)
    return (
      <div class="empty">
        <h1>{entry.title()}</h1>
        <p>{words.unavailable}</p>
        <p class="quiet">{words.unavailableWhy}</p>
      </div>
    );
  if (shown.value?.path !== entry.path) return null;
  const { Page } = shown.value;
  return (
    <Guarded key={entry.path}>
      <Page />
    </Guarded>
  );
}

/** Keeps a page that fails from taking the frame with it. */
class Guarded extends Component<{ readonly children: ComponentChildren }, { readonly error: unknown }> {
  override state = { error: undefined };

  static override getDerivedStateFromError(error: unknown): { readonly error: unknown } {
    return { error };
  }

  override componentDidCatch(error: unknown): void {
    console.error(error);
  }

  render() {
    return this.state.error === undefined ? this.props.children : <Broken />;
  }
}

function Broken() {
  const words = frameWords();
  return (
    <p class="notice failing" role="alert">
      {words.broken}{' '}
      <button type="button" onClick={() => window.location.reload()}>
        {words.reload}
      </button>
    </p>
  );
}
