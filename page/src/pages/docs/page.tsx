import { documents } from 'gatewright:guide';
import { Panel } from '../../parts/index.ts';
import { link, place, queryValue } from '../../router/index.ts';
import { Guide } from './guide.tsx';
import { docsWords } from './words.ts';

/** The documentation of this release: `#/docs/FILE?at=ANCHOR`. */
export function Page() {
  const [file] = place.value.segments;
  if (file === undefined) return <Contents />;
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
          <a href="./docs">{words.reference}</a>
        </p>
      </Panel>
    </>
  );
}
