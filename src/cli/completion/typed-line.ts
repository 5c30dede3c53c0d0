import type { Command, Option } from 'commander';

/** A line as far as it is typed. */
export interface TypedLine {
  readonly command: Command;
  /** Words before the last that are no options and no values of them. */
  readonly operands: readonly string[];
  /** Values by the name that commander gives an option: `tokenFile`. */
  readonly options: Readonly<Record<string, string>>;
  /** The word that is completed; of `--option=value` the value. */
  readonly word: string;
  /** Whose value the word is. */
  readonly optionOf: Option | undefined;
}

/** Reads the words behind the program's name. The last one, which may be empty, is the one to complete. */
export function readTypedLine(program: Command, words: readonly string[]): TypedLine {
  let command = program;
  let open: Option | undefined;
  const operands: string[] = [];
  const options: Record<string, string> = {};
  for (const each of words.slice(0, -1)) {
    const isFlag = each.startsWith('-');
    if (open !== undefined && !(open.variadic && isFlag)) {
      options[open.attributeName()] = each;
      if (!open.variadic) open = undefined;
      continue;
    }
    if (isFlag) {
      const { option, value } = flagOf(command, each);
      open = value === undefined ? option : undefined;
      if (option !== undefined && value !== undefined) options[option.attributeName()] = value;
      continue;
    }
    const inner = operands.length === 0 ? command.commands.find((its) => its.name() === each) : undefined;
    if (inner === undefined) operands.push(each);
    else command = inner;
  }
  const last = words.at(-1) ?? '';
  const { option, value } = flagOf(command, last);
  return {
    command,
    operands,
    options,
    ...(value === undefined ? { word: last, optionOf: open } : { word: value, optionOf: option }),
  };
}

/** The option that a flag names, if it takes a value, and the value when it is part of the word. */
function flagOf(command: Command, word: string): { readonly option?: Option; readonly value?: string } {
  const [, flag = word, value] = /^(?<flag>--[^=]+)=(?<value>.*)$/s.exec(word) ?? [];
  const option = command.options.find(
    ({ long, short, required, optional }) => (long === flag || short === flag) && (required || optional),
  );
  return { ...(option && { option }), ...(value !== undefined && { value }) };
}
