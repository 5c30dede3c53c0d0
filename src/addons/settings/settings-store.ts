/** Where settings are kept that are changed through the admin API, secrets among them. */
export interface SettingsStore {
  /** Where that is, for people: `Secret NAMESPACE/NAME`, or a path. */
  readonly place: string;
  /** What was written last under the name; undefined when nothing was. Rejects with SettingsError. */
  read(name: string): Promise<unknown>;
  /** Resolves when it is durable. Rejects with SettingsError. */
  write(name: string, value: object): Promise<void>;
}

/** What is kept as the schema has it; undefined when there is nothing. Throws a SettingsError for what no version of ours has written. */
export function parseKept<T>(
  schema: { safeParse(value: unknown): { data?: T } },
  name: string,
  value: unknown,
): T | undefined {
  if (value === undefined) return undefined;
  const { data } = schema.safeParse(value);
  if (data !== undefined) return data;
  throw new SettingsError(
    'unavailable',
    `the settings kept as ${name}.json are not ours: remove them, and set them again`,
  );
}

/**
 * Settings that cannot be read or written. `forbidden`: a cluster administrator has to grant a right; `unavailable`: try again,
 * or fix what the message names.
 */
export class SettingsError extends Error {
  override readonly name = 'SettingsError';
  readonly code: 'forbidden' | 'unavailable';

  constructor(code: SettingsError['code'], message: string, cause?: unknown) {
    super(message, { cause });
    this.code = code;
  }
}
