import { BinaryWriter } from '@bufbuild/protobuf/wire';
import { messagesIn, readFields } from '../../envoy/wire/index.ts';

/** `envoy.service.accesslog.v3.StreamAccessLogsMessage.identifier` */
const identifierField = 1;

/** `identifier.log_name` of a StreamAccessLogsMessage; empty where there is none. */
export function logNameOf(message: Uint8Array): string {
  try {
    const [identifier] = messagesIn(message, identifierField);
    const [name] = identifier === undefined ? [] : messagesIn(identifier, 2);
    return name === undefined ? '' : Buffer.from(name).toString();
  } catch {
    return '';
  }
}

/** A StreamAccessLogsMessage without its identifier, the rest as it came; undefined for what is no message. */
export function withoutIdentifier(message: Uint8Array): Uint8Array | undefined {
  try {
    const writer = new BinaryWriter();
    readFields(message, (no, wireType, reader) => {
      if (no === identifierField) return false;
      writer.tag(no, wireType).raw(reader.skip(wireType, no));
      return true;
    });
    return writer.finish();
  } catch {
    return undefined;
  }
}

export interface LogIdentity {
  readonly nodeId: string;
  /** `NAMESPACE/NAME` of the Gateway. */
  readonly cluster: string;
}

/** A StreamAccessLogsMessage with an identifier and nothing else, which the first of a call has to begin with. */
export function identifierMessage({ nodeId, cluster }: LogIdentity): Uint8Array {
  const node = new BinaryWriter().tag(1, 2).string(nodeId).tag(2, 2).string(cluster).finish();
  const identifier = new BinaryWriter().tag(1, 2).bytes(node).tag(2, 2).string('gatewright').finish();
  return new BinaryWriter().tag(identifierField, 2).bytes(identifier).finish();
}
