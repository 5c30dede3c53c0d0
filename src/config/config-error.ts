/**
 * The configuration, or the environment a start depends on, is wrong. The message is one line that names file, line and
 * key where there are such, what was expected and what to do; a process prints it and exits with 1 (design §5). It
 * never holds a secret value.
 */
export class ConfigError extends Error {
  readonly code = 'config_invalid';

  constructor(message: string, options?: { readonly cause?: unknown }) {
    super(message.replaceAll(/\s*\n\s*/g, ' '), options);
    this.name = 'ConfigError';
  }
}
