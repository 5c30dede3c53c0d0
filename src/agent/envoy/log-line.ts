/** Levels of our own log, as pino names them. */
export type LogLevel = 'trace' | 'debug' | 'info' | 'warn' | 'error' | 'fatal';

/** One line of Envoy's application log. */
export interface EnvoyLogLine {
  readonly level: LogLevel;
  /** Envoy's logger, such as `upstream`, `config`, `main`. */
  readonly component: string;
  readonly message: string;
}

/** For `--log-format` (spdlog's syntax): exactly what `parseEnvoyLogLine` reads. Our own log adds the time. */
export const envoyLogFormat = '[%l][%n] %v';

const shape = /^\[(trace|debug|info|warning|error|critical)\]\[([\w.-]*)\] (.*)$/s;

const levels: Readonly<Record<string, LogLevel>> = {
  trace: 'trace',
  debug: 'debug',
  info: 'info',
  warning: 'warn',
  error: 'error',
  critical: 'fatal',
};

/** What Envoy says of each part of its own that is new, at every use: docs/ai.md says it once. */
const aboutItself = /is contained in proto file .* marked as work-in-progress/;

/** What Envoy 1.40 says of each module, several times: that modules will be held otherwise one day. */
const aboutModules = /^Deprecated field: .*PluginConfig\.capability_restriction_config/;

/** What Envoy says of each request whose body is too large, with its path: any stranger could fill a disk. The access log has these requests. */
const aboutBodies = /^[a-z ]+ exceeds maximum \([0-9]+ > [0-9]+\), client: /;

const isQuiet = (message: string): boolean =>
  [aboutItself, aboutModules, aboutBodies].some((pattern) => pattern.test(message));

/** Undefined when the line is not the start of a log entry: the rest of a message of several lines, or a crash report. */
export function parseEnvoyLogLine(line: string): EnvoyLogLine | undefined {
  const match = shape.exec(line);
  if (!match) return undefined;
  const [, level = '', component = '', message = ''] = match;
  return {
    level: isQuiet(message) ? 'debug' : (levels[level] ?? 'info'),
    component,
    message,
  };
}
