/** What reads something that strangers write, and good samples of it. */
export interface FuzzedParser {
  readonly samples: readonly Uint8Array[];
  /** Throws what is a fault only. */
  readonly parse: (bytes: Buffer) => unknown;
}

export const texts = (...all: readonly string[]): Buffer[] => all.map((text) => Buffer.from(text));

export const ofText =
  (parse: (text: string) => unknown) =>
  (bytes: Buffer): unknown =>
    parse(bytes.toString());

/** For a parser that says by an Error what is wrong: one of ours, or of a library, but not of a mistake or of a stack that is full. */
export const orThrows =
  (parse: (bytes: Buffer) => unknown) =>
  (bytes: Buffer): unknown => {
    try {
      return parse(bytes);
    } catch (error) {
      if (error instanceof TypeError || !(error instanceof Error) || /call stack/.test(error.message)) throw error;
      return undefined;
    }
  };
