import { documents } from 'gatewright:guide';
import { useSignal } from '@preact/signals';
import type { ComponentType } from 'preact';
import { useEffect } from 'preact/hooks';
import { Panel } from '../../parts/index.ts';
import { link, place, queryValue } from '../../router/index.ts';
import { Guide } from './guide.tsx';
import { docsWords } from './words.ts';

/** The documentation of this release: `#/docs/FILE?at=ANCHOR`, and the reference of the API: `#/docs/api`. */
export function Page() {
  const [file] = place.value.segments;
  if (file === undefined) return <Contents />;
  if (file === 'api') return <Reference />;
  return <Guide key={file} file={file} at={queryValue('at')} />;
}

function Contents() {
  const words = docsWords();
  return (
    <>
      <h1>{words.title}</h1>
      <Panel title={words.contents}>
        <p class="quiet">{words.english}</p>
        <ul class="contents">
          {documents.map(({ file, title }) => (
            <li key={file}>
              <a href={link('docs', [file])} lang="en">
                {title}
              </a>
            </li>
          ))}
        </ul>
        <p>
          <a href={link('docs', ['api'])}>{words.reference}</a>
        </p>
      </Panel>
    </>
  );
}

/** Its code is loaded when it is first shown. */
function Reference() {
  const shown = useSignal<{ readonly ApiReference: ComponentType } | undefined>(undefined);
  const hasFailed = useSignal(false);
  useEffect(() => {
    import('./api/page.tsx').then(
      ({ ApiReference }) => {
        shown.value = { ApiReference };
      },
      () => {
        hasFailed.value = true;
      },
    );
  }, []);
  if (hasFailed.value)
    return (
      <p class="notice failing" role="alert">
        {docsWords().failed}
      </p>
    );
  return shown.value && <shown.value.ApiReference />;
}
