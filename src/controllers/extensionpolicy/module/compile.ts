/** What a module takes or gives: a function, a memory. */
interface Member {
  readonly name: string;
}

/** The part of JavaScript's interface to WebAssembly that is used here: none of the libraries that we build with declares it. */
interface WebAssembler {
  readonly Module: {
    new (bytes: Uint8Array): object;
    readonly exports: (module: object) => readonly Member[];
    readonly imports: (module: object) => readonly (Member & { readonly module: string })[];
  };
}

const { WebAssembly: assembler } = globalThis as unknown as { readonly WebAssembly: WebAssembler };

/** Names of what a module gives, and what it takes. Throws for bytes that are no valid module. It takes milliseconds for each MiB. */
export function membersOf(bytes: Uint8Array): {
  readonly exports: ReadonlySet<string>;
  readonly imports: readonly (Member & { readonly module: string })[];
} {
  const module = new assembler.Module(bytes);
  const { exports, imports } = assembler.Module;
  return { exports: new Set(exports(module).map(({ name }) => name)), imports: imports(module) };
}
