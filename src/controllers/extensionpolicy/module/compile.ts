/** What a module takes or gives: a function, a memory. */
interface Member {
  readonly name: string;
}

/** The part of JavaScript's interface to WebAssembly that is used here: none of the libraries that we build with declares it. */
interface WebAssembler {
  readonly compile: (bytes: Uint8Array) => Promise<object>;
  readonly Module: {
    new (bytes: Uint8Array): object;
    readonly exports: (module: object) => readonly Member[];
    readonly imports: (module: object) => readonly (Member & { readonly module: string })[];
  };
}

const { WebAssembly: assembler } = globalThis as unknown as { readonly WebAssembly: WebAssembler };

/** Names of what a module gives, and what it takes. */
export interface ModuleMembers {
  readonly exports: ReadonlySet<string>;
  readonly imports: readonly (Member & { readonly module: string })[];
}

/** Throws for bytes that are no valid module. It takes milliseconds for each MiB. */
export const membersOf = (bytes: Uint8Array): ModuleMembers => membersIn(new assembler.Module(bytes));

/** The same in threads of its own. */
export const membersOfMany = async (bytes: Uint8Array): Promise<ModuleMembers> =>
  membersIn(await assembler.compile(bytes));

function membersIn(module: object): ModuleMembers {
  const { exports, imports } = assembler.Module;
  return { exports: new Set(exports(module).map(({ name }) => name)), imports: imports(module) };
}
