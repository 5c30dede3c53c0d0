/**
 * Nothing may be published for now, for a reason that an operator can remove: proxies keep the snapshot they have. The
 * message is one line that says what to do.
 */
export class BuildFault extends Error {
  override readonly name = 'BuildFault';
  /** What it is about: the same for as long as the same thing is wrong, whatever the message counts. */
  readonly subject: string;

  constructor(subject: string, message: string) {
    super(message);
    this.subject = subject;
  }
}
