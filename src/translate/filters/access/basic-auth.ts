import { create } from '@bufbuild/protobuf';
import type { Any } from '@bufbuild/protobuf/wkt';
import { BasicAuthSchema, packAny } from '../../../envoy/index.ts';
import type * as ir from '../../../ir/index.ts';

export const basicAuth = ({ htpasswd, realm, userHeader }: ir.BasicAuth): Any =>
  packAny(
    BasicAuthSchema,
    create(BasicAuthSchema, {
      users: { specifier: { case: 'inlineBytes', value: htpasswd.reveal() } },
      ...(realm !== undefined && { realm }),
      ...(userHeader !== undefined && { forwardUsernameHeader: userHeader }),
    }),
  );
