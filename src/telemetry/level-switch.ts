import type { Logger } from 'pino';

export type LogLevel = 'fatal' | 'error' | 'warn' | 'info' | 'debug' | 'trace' | 'silent';

/**
 * Sets the level of a logger and of all its children. A child copies its parent's level when it is made, and
 * nothing remembers it, so this does; loggers that are not used any more are forgotten.
 */
export class LevelSwitch {
  readonly #loggers = new Set<WeakRef<Logger>>();
  readonly #gone = new FinalizationRegistry<WeakRef<Logger>>((reference) => this.#loggers.delete(reference));

  /** To be called for every logger there is; pino's `onChild` does. */
  readonly add = (logger: Logger): void => {
    const reference = new WeakRef(logger);
    this.#loggers.add(reference);
    this.#gone.register(logger, reference);
  };

  set(level: LogLevel): void {
    for (const reference of this.#loggers) {
      const logger = reference.deref();
      if (logger) logger.level = level;
    }
  }
}
