import { Choice, chosen, FailureList } from '../../parts/index.ts';
import { changeQuery, queryValue } from '../../router/index.ts';
import { failureWords } from './words.ts';

const filters = ['route', 'backend', 'host', 'flag', 'status'] as const;
const windows = ['15m', '1h', '24h'] as const;

/** Requests that failed lately, and why. */
export function Page() {
  const words = failureWords();
  const given = Object.fromEntries(filters.map((name) => [name, queryValue(name)]));
  const isFiltered = Object.values(given).some((value) => value !== '');
  return (
    <>
      <h1>{words.title}</h1>
      <p class="quiet">{words.intro}</p>
      <div class="tools">
        {filters.map((name) => (
          <input
            key={name}
            type="search"
            class="narrow"
            name={name}
            aria-label={words[name]}
            placeholder={words[name]}
            value={given[name]}
            // When it is left or entered: half a name is no filter.
            onChange={(event) => changeQuery({ [name]: event.currentTarget.value.trim() })}
          />
        ))}
        <Choice
          name="since"
          label={words.since}
          options={[
            ['15m', words.minutes],
            ['1h', words.hour],
            ['24h', words.day],
          ]}
        />
        {isFiltered && (
          <button type="button" onClick={() => changeQuery(Object.fromEntries(filters.map((name) => [name, ''])))}>
            {words.clear}
          </button>
        )}
      </div>
      <FailureList
        title={words.list}
        none={words.none}
        filter={{ ...given, since: chosen('since', windows) }}
        limit={100}
        everyMs={1_500}
      />
    </>
  );
}
