const words = {
  time: 'takes too long to read: make it smaller or simpler',
  memory: 'takes too much memory to read: make it smaller or simpler',
  busy: 'cannot be read now, for others are being read: try again',
  ended: 'was not read, for the program is ending',
  failed: 'could not be read',
} as const;

/** A text or object was not read, and not because of what it says. */
export class ReadingRejected extends Error {
  override readonly name = 'ReadingRejected';
  readonly code = 'reading_refused';
  readonly reason: keyof typeof words;

  constructor(reason: keyof typeof words, cause?: unknown) {
    super(cause === undefined ? words[reason] : `${words[reason]}: ${(cause as Error).message}`, { cause });
    this.reason = reason;
  }
}
