/** A module in an image of a registry: what is pulled, and for whom. */
export interface ModuleImage {
  /** Of the policy that names it: another namespace never gets what was pulled with the credentials of this one. */
  readonly namespace: string;
  /** `REGISTRY/REPOSITORY@sha256:DIGEST`, as it is written. */
  readonly reference: string;
  /** Name of a Secret of the namespace with `username` and `password`. */
  readonly secret?: string;
  /** Name of a ConfigMap of the namespace with the authorities of the registry as `ca.crt`; without it those of the system. */
  readonly authority?: string;
}

/** What a module is kept by: all policies of the namespace that name it in the same way share it. */
export const imageKey = ({ namespace, reference, secret = '', authority = '' }: ModuleImage): string =>
  `image ${JSON.stringify([namespace, reference, secret, authority])}`;

/** What a module of the operator's directory is kept by. All namespaces share it. */
export const moduleFileKey = (file: string): string => `file ${file}`;

/** The parts of a reference. */
export interface ImageReference {
  /** Host, and port where it is not 443. */
  readonly registry: string;
  readonly repository: string;
  /** `sha256:` and 64 hexadecimal digits. */
  readonly digest: string;
}

/** Undefined: the text is none. A tag says nothing beside a digest. Source: OCI Distribution Specification 1.1, "Pulling manifests". */
export function readReference(text: string): ImageReference | undefined {
  const { groups } = referencePattern.exec(text) ?? {};
  if (!groups) return undefined;
  const { registry = '', repository = '', digest = '' } = groups;
  return { registry, repository, digest };
}

const referencePattern =
  /^(?<registry>(?:[a-z0-9](?:[-.a-z0-9]*[a-z0-9])?|\[[0-9a-f:]+\])(?::[0-9]{1,5})?)\/(?<repository>[a-z0-9]+(?:[-._/a-z0-9]*[a-z0-9])?)(?::[\w][-.\w]{0,127})?@(?<digest>sha256:[0-9a-f]{64})$/;
