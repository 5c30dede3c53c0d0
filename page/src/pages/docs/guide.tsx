import { documents } from 'gatewright:guide';
import { useSignal } from '@preact/signals';
import { useEffect, useRef } from 'preact/hooks';
import { anchorOf, Markdown, type MarkdownToken } from '../../markdown/index.ts';
import { link } from '../../router/index.ts';
import { hrefOfDocs } from './href.ts';
import { docsWords } from './words.ts';

/** One page of the documentation, at the place that `at` names: a heading, or a code such as that of a problem. */
export function Guide({ file, at }: { readonly file: string; readonly at: string }) {
  const words = docsWords();
  const place = useRef<HTMLElement>(null);
  const tokens = useSignal<readonly MarkdownToken[] | undefined>(undefined);
  const hasFailed = useSignal(false);
  const entry = documents.find((each) => each.file === file);
  useEffect(() => {
    entry?.load().then(
      ({ default: loaded }) => {
        tokens.value = loaded;
      },
      () => {
        hasFailed.value = true;
      },
    );
  }, [entry]);
  useEffect(() => {
    if (place.current !== null && tokens.value !== undefined) show(place.current, at);
  }, [tokens.value, at]);
  const back = (
    <p>
      <a href={link('docs')}>{words.back}</a>
    </p>
  );
  if (entry === undefined)
    return (
      <>
        {back}
        <p class="empty">{words.gone}</p>
      </>
    );
  return (
    <>
      {back}
      {hasFailed.value && (
        <p class="notice failing" role="alert">
          {words.failed}
        </p>
      )}
      <article class="guide" lang="en" ref={place}>
        {tokens.value && <Markdown tokens={tokens.value} hrefOf={(href) => hrefOfDocs(href, file)} />}
      </article>
    </>
  );
}

/** Goes to the heading `at`, or else to the row of a table that begins with it. */
function show(article: HTMLElement, at: string): void {
  for (const marked of article.querySelectorAll('.sought')) marked.classList.remove('sought');
  if (at === '') return;
  const anchor = anchorOf(at);
  const found =
    article.querySelector(`[id="at-${CSS.escape(anchor)}"]`) ??
    [...article.querySelectorAll('td:first-child')].find(({ textContent }) => textContent?.trim() === at)
      ?.parentElement;
  if (!(found instanceof HTMLElement)) return;
  found.classList.add('sought');
  found.tabIndex = -1;
  found.scrollIntoView({ block: 'start' });
  found.focus({ preventScroll: true });
}
