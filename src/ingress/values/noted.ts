/** A value with a comment, which stands above it where objects are written as YAML. */
export class Noted<T> {
  readonly value: T;
  readonly note: string;

  constructor(value: T, note: string) {
    this.value = value;
    this.note = note;
  }
}

export const noted = <T>(value: T, note: string): Noted<T> => new Noted(value, note);
