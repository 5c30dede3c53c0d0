import { create } from '@bufbuild/protobuf';
import type { Any } from '@bufbuild/protobuf/wkt';
import { GrpcWebSchema, packAny } from '../../../envoy/index.ts';

export const grpcWeb = (): Any => packAny(GrpcWebSchema, create(GrpcWebSchema));
