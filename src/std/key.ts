declare const brand: unique symbol;

/** A string with a known shape. The brand exists only for the compiler: maps, JSON and logs hold the plain string. */
export type Key<Name extends string> = string & { readonly [brand]: Name };
