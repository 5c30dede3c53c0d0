/** Environment variables, as `process.env` gives them. */
export type Environment = Readonly<Record<string, string | undefined>>;

const reference = /\$\{([A-Za-z_][A-Za-z0-9_]*)\}/g;

/** The text with every `${NAME}` exchanged for the variable's value, or the first name that has none. An empty value counts as none. */
export function substitute(text: string, env: Environment): { readonly text: string } | { readonly missing: string } {
  let missing: string | undefined;
  const substituted = text.replaceAll(reference, (_, name: string) => {
    const value = env[name];
    if (value === undefined || value === '') missing ??= name;
    return value ?? '';
  });
  return missing === undefined ? { text: substituted } : { missing };
}
