/** Who sent a token of the cluster, as the API server says (`UserInfo` of a TokenReview). */
export interface Person {
  readonly username: string;
  readonly uid?: string;
  readonly groups: readonly string[];
  readonly extra: Readonly<Record<string, readonly string[]>>;
}

/** One object, as rights name it. */
export interface ObjectAttributes {
  readonly verb: 'create' | 'update' | 'patch' | 'delete';
  readonly group: string;
  /** The kind's plural. */
  readonly resource: string;
  /** Undefined for cluster-scoped objects. */
  readonly namespace: string | undefined;
  readonly name: string;
}

/** A path of the admin API, with the request's method in lower case. */
export interface PathAttributes {
  readonly verb: string;
  readonly path: string;
}

/** Who people are and what they may, as the cluster has it. All reject with an HttpError: 401 `unauthorized`, 503 `identity_unavailable`. */
export interface Identities {
  /** Whether the token is one that was accepted a moment ago. */
  knows(token: string): boolean;
  /** `peer`: the address that sent it. */
  personOf(token: string, peer: string): Promise<Person>;
  mayUse(person: Person, path: PathAttributes): Promise<boolean>;
  mayWrite(person: Person, object: ObjectAttributes): Promise<boolean>;
}
