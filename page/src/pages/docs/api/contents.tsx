import { FilterBox, fitsQuery, Panel } from '../../../parts/index.ts';
import { queryValue } from '../../../router/index.ts';
import { Sentence } from '../../../sentence/index.ts';
import { OperationList } from './operation-list.tsx';
import type { Operation, Reference } from './reference.ts';
import { SchemaLink } from './small-parts.tsx';
import { apiWords } from './words.ts';

/** All operations by where they are answered and what they are about, all schemas by name, and a search over both. */
export function Contents({ reference }: { readonly reference: Reference }) {
  const words = apiWords();
  const query = queryValue('q');
  const fits = fitsQuery(query);
  const operations = reference.operations.filter(({ text }) => fits(text));
  const names = Object.keys(reference.schemas).filter((name) => fits(reference.schemaTexts.get(name) ?? ''));
  return (
    <>
      <header class="title">
        <h1>{words.title}</h1>
        <span class="age">{words.version(reference.version)}</span>
      </header>
      <p>
        <Sentence text={reference.description} /> <span class="quiet">{words.english}</span>
      </p>
      <FilterBox label={words.search} status={words.shown(operations.length, names.length)} />
      {operations.length + names.length === 0 && <p class="empty">{words.none}</p>}
      {[...Map.groupBy(operations, ({ tag }) => tag)].map(([tag, ofTag]) => (
        <Panel key={tag} title={tag}>
          <ByResource operations={ofTag} />
        </Panel>
      ))}
      {names.length > 0 && (
        <Panel title={words.schemas}>
          <ul class="names">
            {names.map((name) => (
              <li key={name}>
                <SchemaLink name={name} />
              </li>
            ))}
          </ul>
        </Panel>
      )}
    </>
  );
}

function ByResource({ operations }: { readonly operations: readonly Operation[] }) {
  const groups = [...Map.groupBy(operations, ({ resource }) => resource)];
  return (
    <>
      {groups.map(([resource, ofResource]) => (
        <section key={resource} class="resource" aria-label={resource === '' ? apiWords().others : resource}>
          <h3 lang={resource === '' ? undefined : 'en'}>{resource === '' ? apiWords().others : resource}</h3>
          <OperationList operations={ofResource} />
        </section>
      ))}
    </>
  );
}
