/** Something went wrong that the person at the terminal can do something about. Printed as one line, with exit code 2. */
export class CliError extends Error {
  constructor(message: string, options?: ErrorOptions) {
    super(message, options);
    this.name = 'CliError';
  }
}
