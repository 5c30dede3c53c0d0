import { BinaryWriter, WireType } from '@bufbuild/protobuf/wire';
import { readFields, typeUrls } from '../../envoy/wire/index.ts';

/** An Envoy resource as it is in `Any`. */
export interface TriedResource {
  readonly typeUrl: string;
  readonly value: Uint8Array;
}

/** `envoy.config.bootstrap.v3.Bootstrap.static_resources`, and its fields by the type that each is for. */
const staticResources = 2;
const fields: ReadonlyMap<string, number> = new Map([
  [typeUrls.listener, 1],
  [typeUrls.cluster, 2],
]);

/** The `Resource.resource` of an encoded `Resource`; undefined: it has none that can be read, or one that a bootstrap has no place for. */
export function triedResource(resource: Uint8Array): TriedResource | undefined {
  let typeUrl = '';
  let value: Uint8Array | undefined;
  try {
    readFields(resource, (no, _wireType, reader) => {
      if (no !== 2) return false;
      readFields(reader.bytes(), (anyNo, _anyWireType, any) => {
        if (anyNo === 1) typeUrl = any.string();
        else if (anyNo === 2) value = Uint8Array.from(any.bytes());
        else return false;
        return true;
      });
      return true;
    });
  } catch {
    return undefined;
  }
  return value && fields.has(typeUrl) ? { typeUrl, value } : undefined;
}

/** An encoded Bootstrap with these resources and nothing else: Envoy lays another one over it. */
export function trialFile(resources: readonly TriedResource[]): Uint8Array {
  const writer = new BinaryWriter().tag(staticResources, WireType.LengthDelimited).fork();
  for (const { typeUrl, value } of resources)
    writer.tag(fields.get(typeUrl) as number, WireType.LengthDelimited).bytes(value);
  return writer.join().finish();
}
