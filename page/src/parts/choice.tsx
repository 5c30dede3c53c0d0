import { changeQuery, queryValue } from '../router/index.ts';

/** One of some values, kept in the link under `name`; the first is the usual one. */
export function Choice({
  name,
  label,
  options,
}: {
  readonly name: string;
  readonly label: string;
  /** Values with their words. */
  readonly options: readonly (readonly [value: string, text: string])[];
}) {
  return (
    <label class="choice">
      {label}{' '}
      <select
        value={chosen(
          name,
          options.map(([value]) => value),
        )}
        onChange={(event) => changeQuery({ [name]: event.currentTarget.value })}
      >
        {options.map(([value, text]) => (
          <option key={value} value={value}>
            {text}
          </option>
        ))}
      </select>
    </label>
  );
}

/** The value in the link if it is one of these, else the first. */
export function chosen<T extends string>(name: string, values: readonly T[]): T {
  const value = queryValue(name);
  return values.find((each) => each === value) ?? (values[0] as T);
}
